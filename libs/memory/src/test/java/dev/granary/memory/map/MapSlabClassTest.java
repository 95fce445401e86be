package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapSlabClassTest {

    private static final int PER_SLAB = 16;

    private final MapRig rig = new MapRig();
    private final MapSlabClass blocks = rig.slabs.sizeClass(MapBlockSizes.classFor(4096));
    private final List<List<Long>> bySlab = new ArrayList<>();

    @AfterEach
    void close() {
        bySlab.forEach(slab -> slab.forEach(blocks::free));
        assertThat(blocks.live()).isZero();
        assertThat(blocks.room()).isZero();
        rig.close();
    }

    @Test
    void allocate_mayNotTakeASlab_givesWhatThereIs() {
        assertThat(blocks.allocate(false)).isZero();
        allocateSlabs(1);
        assertThat(blocks.allocate(false)).isZero();
        long freed = bySlab.getFirst().removeLast();
        blocks.free(freed);
        assertThat(blocks.allocate(false)).isEqualTo(freed);
        bySlab.getFirst().add(freed);
    }

    @Test
    void free_lastBlockOfASlab_slabIsFreeForAll() {
        allocateSlabs(2);
        int before = rig.slabs.freeSlabs();
        free(0, PER_SLAB - 1);
        assertThat(rig.slabs.freeSlabs()).isEqualTo(before);
        free(0, 1);
        assertThat(rig.slabs.freeSlabs()).isEqualTo(before + 1);
        assertThat(blocks.liveBytes()).isEqualTo(PER_SLAB * 4096L);
        assertThat(blocks.allocate(false)).isZero();
    }

    @Test
    void drain_muchRoom_takesTheEmptiestOfWhichNoBlockIsGiven() {
        allocateSlabs(3);
        free(0, 10);
        free(1, 14);
        free(2, 2);
        int drained = blocks.drain(false);
        assertThat(drained).isEqualTo(slab(1));
        assertThat(blocks.isDraining(drained)).isTrue();
        for (int i = 0; i < 12; i++) {
            long block = blocks.allocate(false);
            assertThat(block).isNotZero();
            int where = rig.slabs.slabOf(block) == slab(0) ? 0 : 2;
            assertThat(rig.slabs.slabOf(block)).isEqualTo(slab(where));
            bySlab.get(where).add(block);
        }
        assertThat(blocks.allocate(false)).isZero();

        int before = rig.slabs.freeSlabs();
        free(1, 2);
        assertThat(blocks.isDraining(drained)).isFalse();
        assertThat(rig.slabs.freeSlabs()).isEqualTo(before + 1);
    }

    @Test
    void drain_roomForOneSlab_onlyIfItIsUrgent() {
        allocateSlabs(2);
        free(0, 8);
        free(1, 7);
        assertThat(blocks.drain(true)).isEqualTo(MapSlabTable.NONE);
        free(1, 1);
        assertThat(blocks.room()).isEqualTo(PER_SLAB);
        assertThat(blocks.drain(false)).isEqualTo(MapSlabTable.NONE);
        assertThat(blocks.drain(true)).isNotEqualTo(MapSlabTable.NONE);
        blocks.stopDraining(blocks.draining());
    }

    @Test
    void stopDraining_slabOfWhichBlocksAreLeft_givesItsBlocksAgain() {
        allocateSlabs(2);
        free(0, 9);
        free(1, 8);
        int drained = blocks.drain(false);
        assertThat(drained).isEqualTo(slab(0));
        blocks.stopDraining(slab(1));
        assertThat(blocks.isDraining(drained)).isTrue();

        blocks.stopDraining(drained);
        assertThat(blocks.draining()).isEqualTo(MapSlabTable.NONE);
        long block = blocks.allocate(false);
        assertThat(rig.slabs.slabOf(block)).isEqualTo(drained);
        bySlab.getFirst().add(block);
    }

    private int slab(int index) {
        return rig.slabs.slabOf(bySlab.get(index).getFirst());
    }

    private void allocateSlabs(int count) {
        for (int i = 0; i < count; i++) {
            List<Long> slab = new ArrayList<>();
            for (int j = 0; j < PER_SLAB; j++) {
                slab.add(blocks.allocate(true));
            }
            bySlab.add(slab);
            assertThat(slab)
                    .doesNotContain(0L)
                    .allMatch(block -> rig.slabs.slabOf(block) == rig.slabs.slabOf(slab.getFirst()));
        }
    }

    private void free(int slab, int count) {
        for (int i = 0; i < count; i++) {
            blocks.free(bySlab.get(slab).removeLast());
        }
    }
}
