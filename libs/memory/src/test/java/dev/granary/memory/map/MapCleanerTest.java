package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapCleanerTest {

    private static final int CLASS = MapBlockSizes.classFor(4096);
    private static final int PER_SLAB = 16;

    /** One of which there are no blocks, nor of those that would stand in for it. */
    private static final int OTHER_CLASS = MapBlockSizes.classFor(2000);

    private final MapRig rig = new MapRig();
    private final MapCleaner cleaner = rig.cleaner;
    private final List<String> keys = new ArrayList<>();

    @AfterEach
    void close() {
        keys.forEach(key -> assertThat(rig.get(key)).as(key).isEqualTo(value(key)));
        rig.close();
    }

    @Test
    void makeRoom_sparseSlabs_emptiesOne() {
        putLarge(4 * PER_SLAB);
        for (int i = 0; i < PER_SLAB; i++) {
            remove("key " + 4 * i);
        }
        assertThat(cleaner.movedBytes()).isZero();
        rig.takeAll(OTHER_CLASS);
        assertThat(rig.slabs.freeSlabs()).isZero();
        assertThat(rig.slabs.sizeClass(CLASS).room()).isEqualTo(PER_SLAB);

        assertThat(cleaner.makeRoom()).isTrue();

        assertThat(rig.slabs.freeSlabs()).isEqualTo(1);
        assertThat(cleaner.movedBytes()).isEqualTo(12 * 4096);
        assertThat(rig.slabs.sizeClass(CLASS).room()).isZero();
    }

    @Test
    void makeRoom_noSlabCanBeSpared_saysSoAndMovesNothing() {
        putLarge(4 * PER_SLAB);
        for (int i = 0; i < PER_SLAB - 1; i++) {
            remove("key " + 4 * i);
        }
        rig.takeAll(OTHER_CLASS);
        assertThat(cleaner.makeRoom()).isFalse();
        assertThat(cleaner.movedBytes()).isZero();
    }

    @Test
    void makeRoom_slabsOfGroups_movesGroups() {
        // Groups with one entry each, in blocks of 4 KiB.
        List<String> singles = new ArrayList<>();
        for (long group = 0; group < MapDirectory.MIN_GROUPS; group++) {
            String key = rig.keysOf(group, 1).getFirst();
            assertThat(rig.append(rig.entry(key, "g".repeat(4050 - key.length()))))
                    .isEqualTo(MapGroups.Outcome.DONE);
            singles.add(key);
        }
        for (int i = 0; i < PER_SLAB; i++) {
            rig.remove(singles.get(4 * i));
        }
        rig.takeAll(OTHER_CLASS);
        assertThat(cleaner.makeRoom()).isTrue();
        assertThat(cleaner.movedBytes()).isEqualTo(12 * 4096);
        for (int i = 0; i < singles.size(); i++) {
            String key = singles.get(i);
            assertThat(rig.get(key)).isEqualTo(i % 4 == 0 ? null : "g".repeat(4050 - key.length()));
        }
    }

    @Test
    void makeRoom_groupIsLatched_leavesItsBlocksAndGivesTheSlabUp() {
        putLarge(2 * PER_SLAB);
        for (int i = 0; i < PER_SLAB; i++) {
            remove("key " + 2 * i);
        }
        rig.takeAll(OTHER_CLASS);
        long group = rig.directory.groupOf(rig.hash("key 1"));
        long other = rig.directory.groupOf(rig.hash("key " + (2 * PER_SLAB - 1)));
        rig.directory.latchGroup(group);
        if (other != group) {
            rig.directory.latchGroup(other);
        }
        // Each slab has a block that cannot move.
        assertThat(cleaner.makeRoom()).isFalse();
        assertThat(rig.slabs.sizeClass(CLASS).draining()).isEqualTo(MapSlabTable.NONE);
        rig.directory.unlatch(group);
        if (other != group) {
            rig.directory.unlatch(other);
        }
        assertThat(cleaner.makeRoom()).isTrue();
    }

    @Test
    void step_muchWasRemoved_movesTheRestTogetherAFewAtATime() {
        putLarge(8 * PER_SLAB);
        int before = rig.slabs.freeSlabs();
        long moved = 0;
        for (int i = 0; i < 8 * PER_SLAB; i++) {
            if (i % 8 != 0) {
                remove("key " + i);
                // The writer has let the cleaner step.
                assertThat(cleaner.movedBytes() - moved).isLessThanOrEqualTo(4 * 4096);
                moved = cleaner.movedBytes();
            }
        }
        assertThat(cleaner.movedBytes()).isPositive();
        assertThat(rig.slabs.freeSlabs()).isGreaterThanOrEqualTo(before + 4);
    }

    private void putLarge(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(rig.put("key " + i, value("key " + i))).isEqualTo(MapWriter.Result.INSERTED);
            keys.add("key " + i);
        }
        assertThat(rig.slabs.sizeClass(CLASS).live()).isEqualTo(count);
    }

    private void remove(String key) {
        assertThat(rig.remove(key)).isTrue();
        keys.remove(key);
    }

    /** With key and header of the piece it takes a block of 4 KiB. */
    private static String value(String key) {
        return (key + ".").repeat(1000).substring(0, 4060 - key.length());
    }
}
