package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class RefIndexTest {

    private static long spread(int ref) {
        return (ref * 0x9E3779B97F4A7C15L) ^ (ref * 31L);
    }

    /** All records begin their search at the same slot, and have the same bits of the hash beside their number. */
    private static long alike(@SuppressWarnings("unused") int ref) {
        return 7L << Integer.SIZE | 3;
    }

    private static boolean holds(RefIndex index, IntToLongFunction hashOf, int ref) {
        long hash = hashOf.applyAsLong(ref);
        int slot = index.start(hash);
        while (true) {
            int found = index.at(slot, hash);
            if (found == ref) {
                return true;
            }
            if (found == RefIndex.END) {
                return false;
            }
            slot = index.next(slot);
        }
    }

    /** Adds and removes in any order, and looks at every record after each step. */
    private static void compareWithModel(IntToLongFunction hashOf, int largestRef, int steps, long seed) {
        Random random = new Random(seed);
        RefIndex index = new RefIndex(hashOf);
        boolean[] there = new boolean[largestRef + 1];
        List<Integer> present = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            if (present.isEmpty() || random.nextInt(5) < 3) {
                int ref = 1 + random.nextInt(largestRef);
                if (!there[ref]) {
                    index.add(hashOf.applyAsLong(ref), ref);
                    there[ref] = true;
                    present.add(ref);
                }
            } else {
                int ref = present.remove(random.nextInt(present.size()));
                index.remove(hashOf.applyAsLong(ref), ref);
                there[ref] = false;
            }
            assertThat(index.size()).as("seed %d, step %d", seed, step).isEqualTo(present.size());
            for (int ref = 1; ref <= largestRef; ref++) {
                assertThat(holds(index, hashOf, ref))
                        .as("seed %d, step %d, record %d", seed, step, ref)
                        .isEqualTo(there[ref]);
            }
        }
    }

    @Test
    void addAndRemove_atRandom_holdsWhatTheModelHolds() {
        for (long seed = 1; seed <= 5; seed++) {
            compareWithModel(RefIndexTest::spread, 150, 600, seed);
        }
    }

    @Test
    void addAndRemove_allOfOneHash_gapsAreClosed() {
        for (long seed = 1; seed <= 3; seed++) {
            compareWithModel(RefIndexTest::alike, 40, 400, seed);
        }
    }

    @Test
    void add_numbersThatNeedMoreBits_slotsGrowAndNothingIsLost() {
        RefIndex index = new RefIndex(RefIndexTest::spread);
        List<Integer> refs = new ArrayList<>();
        for (int bits = 0; bits < 28; bits++) {
            int ref = (1 << bits) + 1;
            index.add(spread(ref), ref);
            refs.add(ref);
            assertThat(refs).allMatch(each -> holds(index, RefIndexTest::spread, each));
        }
        assertThat(holds(index, RefIndexTest::spread, 4)).isFalse();
    }

    @Test
    void footprintBytes_manyRecords_isThreeBytesEachOrLess() {
        RefIndex index = new RefIndex(RefIndexTest::spread);
        int count = 50_000;
        for (int ref = 1; ref <= count; ref++) {
            index.add(spread(ref), ref);
        }
        assertThat(index.footprintBytes()).isBetween(2L * count, 4L * count);

        for (int ref = 1; ref <= count; ref++) {
            index.remove(spread(ref), ref);
        }
        assertThat(index.size()).isZero();
        assertThat(index.footprintBytes()).as("the last one gives all back").isLessThan(100);
    }

    @Test
    void remove_whatIsNotThere_namesTheRecord() {
        RefIndex index = new RefIndex(RefIndexTest::spread);
        index.add(spread(5), 5);

        assertThatThrownBy(() -> index.remove(spread(6), 6))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("record 6");
        assertThat(holds(index, RefIndexTest::spread, 5)).isTrue();
    }
}
