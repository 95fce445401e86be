package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MapExpiriesTest {

    /** 2026, in milliseconds. */
    private static final long BASE = 1_780_000_000_000L;

    private final MapRig rig = new MapRig();
    private final long word = rig.slabs.allocate(MapBlockSizes.classFor(1000));
    private final long block = MapBlockSizes.address(word);

    @AfterEach
    void close() {
        rig.slabs.free(word);
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({"1, 254", "2, 65534", "3, 16777214", "4, 4294967294", "5, 1099511627774", "6, 281474976710654"})
    void code_timesWithinASpan_isAsNarrowAsCanBe(int width, long span) {
        assertThat(MapExpiries.width(MapExpiries.code(BASE, BASE + span))).isEqualTo(width);
        assertThat(MapExpiries.width(MapExpiries.code(BASE, BASE + span + 1))).isEqualTo(width == 6 ? 8 : width + 1);
        long header = group(MapExpiries.code(BASE, BASE + span));
        assertTakes(header, BASE + span);
        assertThat(MapExpiries.fits(rig.memory, block, header, BASE + span + 1)).isFalse();
    }

    @Test
    void set_widestColumn_takesEveryTimeFromItsBaseOn() {
        long header = group(MapExpiries.code(BASE, OffHeapMap.MAX_EXPIRY_MILLIS));
        assertThat(MapGroup.expiryWidth(header)).isEqualTo(8);
        assertTakes(header, OffHeapMap.MAX_EXPIRY_MILLIS);
        MapExpiries.setBase(rig.memory, block, 1);
        assertTakes(header, OffHeapMap.MAX_EXPIRY_MILLIS);
        assertTakes(header, 1);
    }

    @Test
    void fits_columnWithoutWidth_takesTheBaseOnly() {
        long header = group(0);
        assertThat(MapExpiries.get(rig.memory, block, header, 1)).isEqualTo(BASE);
        assertThat(MapExpiries.fits(rig.memory, block, header, BASE)).isTrue();
        assertThat(MapExpiries.fits(rig.memory, block, header, BASE + 1)).isFalse();
        assertThat(MapExpiries.fits(rig.memory, block, header, OffHeapMap.NEVER))
                .isFalse();
    }

    @Test
    void fits_groupWithoutExpiry_takesNeverOnly() {
        long header = MapGroup.header(3, 0, 0, 4, 5, 24);
        assertThat(MapExpiries.fits(rig.memory, block, header, OffHeapMap.NEVER))
                .isTrue();
        assertThat(MapExpiries.fits(rig.memory, block, header, BASE)).isFalse();
        assertThat(MapExpiries.get(rig.memory, block, header, 0)).isEqualTo(OffHeapMap.NEVER);
    }

    /** A group of three entries that expire from {@link #BASE} on. */
    private long group(int code) {
        long header = MapGroup.withExpiry(MapGroup.header(3, 0, 0, 4, 5, 24), code);
        rig.memory.setWord(block, header);
        MapExpiries.setBase(rig.memory, block, BASE);
        return header;
    }

    /** Writes a time between two others, which stay. */
    private void assertTakes(long header, long expiry) {
        long base = MapExpiries.base(rig.memory, block);
        MapExpiries.set(rig.memory, block, header, 0, base);
        MapExpiries.set(rig.memory, block, header, 2, OffHeapMap.NEVER);
        assertThat(MapExpiries.fits(rig.memory, block, header, expiry)).isTrue();
        MapExpiries.set(rig.memory, block, header, 1, expiry);
        assertThat(MapExpiries.get(rig.memory, block, header, 0)).isEqualTo(base);
        assertThat(MapExpiries.get(rig.memory, block, header, 1)).isEqualTo(expiry);
        assertThat(MapExpiries.get(rig.memory, block, header, 2)).isEqualTo(OffHeapMap.NEVER);
        MapExpiries.set(rig.memory, block, header, 1, OffHeapMap.NEVER);
        assertThat(MapExpiries.get(rig.memory, block, header, 1)).isEqualTo(OffHeapMap.NEVER);
        assertThat(MapExpiries.get(rig.memory, block, header, 0)).isEqualTo(base);
        assertThat(MapExpiries.fits(rig.memory, block, header, base - 1)).isEqualTo(base == 1);
    }
}
