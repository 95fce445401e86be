package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapDirectoryTest {

    private static final long FIRST = MapDirectory.MIN_GROUPS;

    private final MapRig rig = new MapRig();
    private final MapDirectory directory = rig.directory;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void groupOf_oneGroupMore_movesHashesOfOneGroupIntoTheNewOne() {
        for (long groups = FIRST; groups < 4 * FIRST; groups++) {
            long divided = groups - Long.highestOneBit(groups);
            long moved = 0;
            for (long hash = 0; hash < 8 * FIRST; hash++) {
                long before = MapDirectory.groupOf(hash, groups);
                long after = MapDirectory.groupOf(hash, groups + 1);
                if (before != after) {
                    assertThat(before).isEqualTo(divided);
                    assertThat(after).isEqualTo(groups);
                    moved++;
                }
            }
            assertThat(moved).isPositive();
        }
    }

    @Test
    void bitsOf_anyCount_groupsStandForAllHashesOnce() {
        for (long groups = FIRST; groups < 4 * FIRST; groups++) {
            double share = 0;
            for (long group = 0; group < groups; group++) {
                int bits = MapDirectory.bitsOf(group, groups);
                share += Math.scalb(1.0, -bits);
                // Whatever is above these bits, the hash belongs here.
                assertThat(MapDirectory.groupOf(group | -1L << bits, groups)).isEqualTo(group);
                assertThat(MapDirectory.groupOf(group, groups)).isEqualTo(group);
            }
            assertThat(share).isEqualTo(1.0);
        }
    }

    @Test
    void tryLatch_groupThatIsLatched_isRefused() {
        assertThat(directory.tryLatch(5)).isTrue();
        assertThat(directory.tryLatch(5)).isFalse();
        assertThat(directory.tryLatch(6)).isTrue();
        directory.unlatch(6);
        directory.unlatch(5);
        assertThat(directory.tryLatch(5)).isTrue();
        directory.unlatchUnchanged(5);
    }

    @Test
    void isSame_afterAWriter_onlyIfItLeftTheGroupUnchanged() {
        long version = directory.version(3);
        directory.latchGroup(3);
        assertThat(directory.isSame(3, version)).isFalse();
        directory.unlatchUnchanged(3);
        assertThat(directory.isSame(3, version)).isTrue();

        directory.latchGroup(3);
        directory.unlatch(3);
        assertThat(directory.isSame(3, version)).isFalse();
        assertThat(directory.version(3)).isEven();
    }

    @Test
    void latch_groupIsDividedMeanwhile_latchesTheNewOne() throws Exception {
        directory.latchGroup(0);
        directory.latchGroup(FIRST);
        try (ExecutorService others = Executors.newSingleThreadExecutor()) {
            Future<Long> latched = others.submit(() -> directory.latch(FIRST));
            directory.setGroups(FIRST + 1);
            directory.unlatch(FIRST);
            directory.unlatch(0);
            assertThat(latched.get()).isEqualTo(FIRST);
        }
        assertThat(directory.tryLatch(0)).isTrue();
        assertThat(directory.tryLatch(FIRST)).isFalse();
        directory.unlatch(FIRST);
        directory.unlatch(0);
    }

    @Test
    void setBlock_neighbours_keepTheirs() {
        long groups = directory.groups();
        for (long group = 0; group < groups; group++) {
            directory.setBlock(group, 1000 + group);
        }
        for (long group = 0; group < groups; group++) {
            assertThat(directory.block(group)).isEqualTo(1000 + group);
            assertThat(directory.version(group)).isZero();
            directory.setBlock(group, 0);
        }
    }
}
