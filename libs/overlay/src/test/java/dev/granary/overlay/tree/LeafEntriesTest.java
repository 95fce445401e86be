package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeafEntriesTest {

    private static final int ENTRIES = 120;

    private static byte[] room(int width) {
        return new byte[ENTRIES * width + Long.BYTES];
    }

    private static long below(SplittableRandom random, int bits) {
        return bits == 0 ? 0 : random.nextLong() >>> (Long.SIZE - bits);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, LeafEntries.WIDE_BYTES})
    void set_anyPlace_isReadBackAndLeavesTheNeighbours(int width) {
        SplittableRandom random = new SplittableRandom(width);
        for (int refBits = 0; refBits <= Math.min(31, 8 * width - 1); refBits += 3) {
            byte[] data = room(width);
            long base = random.nextLong();
            int baseRef = 1 + random.nextInt(1000);
            long[] keys = new long[ENTRIES];
            int[] refs = new int[ENTRIES];
            for (int step = 0; step < 3 * ENTRIES; step++) {
                int at = step < ENTRIES ? step : random.nextInt(ENTRIES);
                keys[at] = base + below(random, LeafEntries.keyBits(Math.min(width, 8), refBits));
                long code = below(random, refBits);
                refs[at] = code == 0 ? BoundaryTree.NONE : (int) (baseRef + code - 1);
                LeafEntries.set(data, width, refBits, at, keys[at], base, refs[at], baseRef);
            }
            for (int i = 0; i < ENTRIES; i++) {
                assertThat(LeafEntries.key(data, width, refBits, base, i))
                        .as("width %d, %d bits, entry %d", width, refBits, i)
                        .isEqualTo(keys[i]);
                assertThat(LeafEntries.ref(data, width, refBits, baseRef, i))
                        .as("width %d, %d bits, entry %d", width, refBits, i)
                        .isEqualTo(refs[i]);
            }
        }
    }

    @Test
    void keyBits_eightBytes_oneIsLeftForTheSign() {
        assertThat(LeafEntries.keyBits(1, 0)).isEqualTo(8);
        assertThat(LeafEntries.keyBits(7, 20)).isEqualTo(36);
        assertThat(LeafEntries.keyBits(8, 20)).isEqualTo(43);
        assertThat(LeafEntries.lowBits(0)).isZero();
        assertThat(LeafEntries.lowBits(32)).isEqualTo(0xFFFF_FFFFL);
    }

    @Test
    void code_leastAndGreatestNumber_doNotOverflow() {
        assertThat(LeafEntries.code(Integer.MAX_VALUE, Integer.MIN_VALUE)).isEqualTo(1L << 32);
        assertThat(LeafEntries.code(-5, -5)).isEqualTo(1);
    }

    /** However wrong the guess is: too low, too high, and far behind the last entry. */
    @ParameterizedTest
    @ValueSource(floats = {0, 1e-6f, 0.001f, 0.5f, 1, 1e6f, Float.MAX_VALUE})
    void floor_anyGuess_isTheLastEntryThatIsNotGreater(float slope) {
        SplittableRandom random = new SplittableRandom(Float.floatToIntBits(slope));
        for (int width : new int[] {2, 4, 8, LeafEntries.WIDE_BYTES}) {
            for (int count : new int[] {1, 2, 3, 4, 5, 6, 9, 31, ENTRIES}) {
                checkFloor(random, width, count, slope);
            }
        }
    }

    private static void checkFloor(SplittableRandom random, int width, int count, float slope) {
        int refBits = 3;
        boolean wide = width == LeafEntries.WIDE_BYTES;
        long base = wide ? 0 : random.nextLong();
        int keyBits = LeafEntries.keyBits(Math.min(width, 8), refBits);
        // Dense at the beginning, so that an even spread is a bad guess as well.
        long[] offsets = random.longs(4L * count)
                .map(value -> value >>> (Long.SIZE - (keyBits - random.nextInt(keyBits / 2))))
                .distinct()
                .limit(count)
                .sorted()
                .toArray();
        offsets[0] = 0;
        byte[] data = room(width);
        for (int i = 0; i < offsets.length; i++) {
            LeafEntries.set(data, width, refBits, i, base + offsets[i], base, i % 7, 0);
        }
        for (int probe = 0; probe < 60; probe++) {
            long offset = offsets[random.nextInt(offsets.length)] + random.nextInt(3) - 1;
            if (offset < 0) {
                continue;
            }
            int found = Arrays.binarySearch(offsets, offset);
            int expected = found >= 0 ? found : -found - 2;
            assertThat(LeafEntries.floor(data, width, refBits, offsets.length, base, slope, base + offset))
                    .as("width %d, %d entries, slope %s, offset %d", width, offsets.length, slope, offset)
                    .isEqualTo(expected);
        }
        assertThat(LeafEntries.floor(data, width, refBits, offsets.length, base, slope, base - 1))
                .as("the key is as far as can be")
                .isEqualTo(offsets.length - 1);
    }
}
