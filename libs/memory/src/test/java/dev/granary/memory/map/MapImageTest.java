package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MapImageTest {

    private record Row(int fingerprint, int keyCode, int valueBytes, long expiry) {}

    private final MapRig rig = new MapRig();
    private final long word = rig.slabs.allocate(MapBlockSizes.classFor(4096));
    private final long block = MapBlockSizes.address(word);

    @AfterEach
    void close() {
        rig.slabs.free(word);
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0, 0", "1, 255, 1, 1", "256, 255, 2, 1", "0, 256, 0, 2", "999, 1000, 2, 2"})
    void header_lengthsDiffer_columnsAreAsNarrowAsCanBe(int keys, int values, int keyWidth, int valueWidth) {
        MapImage image = new MapImage(2);
        image.add(1, 10, 20, OffHeapMap.NEVER);
        image.add(2, 10 + keys, 20 + values, OffHeapMap.NEVER);

        long header = image.header();

        assertThat(MapGroup.entries(header)).isEqualTo(2);
        assertThat(MapGroup.keyWidth(header)).isEqualTo(keyWidth);
        assertThat(MapGroup.valueWidth(header)).isEqualTo(valueWidth);
        assertThat(MapGroup.dataBytes(header)).isEqualTo(9 + 20 + 9 + keys + 20 + values);
        assertThat(MapGroup.columnsEnd(header)).isEqualTo(8 + 2 * (1 + keyWidth + valueWidth));
    }

    @ParameterizedTest
    @CsvSource({
        "5000, 5000, 0",
        "5000, 0, 1",
        "5000, 5254, 1",
        "5000, 5255, 2",
        "1, 4294967295, 4",
        "1, 4294967296, 5",
        "1, 1099511627776, 6",
        "1, 281474976710655, 6",
        "1, 281474976710656, 8",
        "1, 9223372036854775807, 8",
        "9223372036854775806, 9223372036854775807, 1"
    })
    void header_entriesExpire_noneIsForgotten(long one, long other, int width) {
        MapImage image = new MapImage(2);
        image.add(1, 10, 20, one);
        image.add(2, 10, 20, other);

        long header = image.header();

        assertThat(MapGroup.hasExpiry(header)).isTrue();
        assertThat(MapGroup.expiryWidth(header)).isEqualTo(width);
        image.writeColumns(rig.memory, block, header);
        assertThat(MapExpiries.get(rig.memory, block, header, 0)).isEqualTo(one);
        assertThat(MapExpiries.get(rig.memory, block, header, 1)).isEqualTo(other);
    }

    @Test
    void header_noEntries_isZero() {
        MapImage image = new MapImage(1);
        assertThat(image.header()).isZero();
        image.add(1, 2, 3, 4);
        image.remove(0);
        assertThat(image.header()).isZero();
    }

    @Test
    void of_columnsThatWereWritten_areTheSame() {
        long seed = 20261126;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int count = 1 + random.nextInt(100);
            int keySpan = 1 + random.nextInt(1000);
            int valueSpan = 1 + random.nextInt(1000);
            boolean mayExpire = random.nextBoolean();
            List<Row> rows = new ArrayList<>();
            MapImage image = new MapImage(count);
            for (int i = 0; i < count; i++) {
                long expiry = mayExpire && random.nextBoolean() ? random.nextLong(1, 2L << random.nextInt(62)) : 0;
                Row row = new Row(random.nextInt(256), random.nextInt(keySpan), 17 + random.nextInt(valueSpan), expiry);
                rows.add(row);
                image.add(row.fingerprint, row.keyCode, row.valueBytes, row.expiry);
            }
            long header = image.header();
            image.writeColumns(rig.memory, block, header);
            assertRows(MapImage.of(rig.memory, block, header, 0), header, rows, seed);
        }
    }

    @Test
    void remove_oneOfMany_othersMoveUp() {
        List<Row> rows = new ArrayList<>();
        MapImage image = new MapImage(20);
        for (int i = 0; i < 20; i++) {
            Row row = new Row(i, i, 100 + i, 1000 + i);
            rows.add(row);
            image.add(row.fingerprint, row.keyCode, row.valueBytes, row.expiry);
        }
        for (int index : new int[] {19, 7, 0}) {
            image.remove(index);
            rows.remove(index);
        }
        image.setExpiry(3, 7777);
        Row changed = rows.get(3);
        rows.set(3, new Row(changed.fingerprint, changed.keyCode, changed.valueBytes, 7777));
        MapImage other = new MapImage(1);
        other.add(image, 3);
        assertThat(other.expiry(0)).isEqualTo(7777);
        assertThat(other.dataBytes(0)).isEqualTo(changed.keyCode - 1 + changed.valueBytes);

        long header = image.header();
        image.writeColumns(rig.memory, block, header);
        assertRows(image, header, rows, 0);
    }

    /** The image and what it wrote. */
    private void assertRows(MapImage image, long header, List<Row> rows, long seed) {
        assertThat(image.count()).isEqualTo(rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            assertThat(image.expiry(i)).as("seed %d, entry %d", seed, i).isEqualTo(row.expiry);
            assertThat(image.dataBytes(i)).isEqualTo(row.keyCode - 1 + row.valueBytes);
            assertThat(image.isForward(i)).isEqualTo(row.keyCode == MapGroup.FORWARD_KEY_CODE);
            assertThat(rig.memory.number(block + MapGroup.fingerprints(header) + i, 1))
                    .isEqualTo(row.fingerprint);
            assertThat(MapGroup.keyCode(rig.memory, block, header, i)).isEqualTo(row.keyCode);
            assertThat(MapGroup.valueBytes(rig.memory, block, header, i)).isEqualTo(row.valueBytes);
        }
    }
}
