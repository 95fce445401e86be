package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapSlabsTest {

    /** Blocks of 4 KiB, of which a slab has 16. */
    private static final int CLASS = MapBlockSizes.classFor(4096);

    private static final int PER_SLAB = 16;

    private final MapRig rig = new MapRig();
    private final MapSlabs slabs = rig.slabs;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void allocate_blocksOfAllSizes_areApartEachInASlabOfItsClass() {
        int largest = MapBlockSizes.classFor(MapSlabs.maxBlockBytes(16));
        TreeMap<Long, Integer> ends = new TreeMap<>();
        List<Long> words = new ArrayList<>();
        long bytes = 0;
        // There are fewer slabs than classes.
        for (int i = 0; i <= largest; i += 2) {
            for (int j = 0; j < 3; j++) {
                long word = slabs.allocate(i);
                assertThat(MapBlockSizes.sizeClass(word)).isEqualTo(i);
                assertThat(slabs.table().sizeClass(slabs.slabOf(MapBlockSizes.address(word))))
                        .isEqualTo(i);
                ends.put(MapBlockSizes.address(word), MapBlockSizes.sizeOf(word));
                words.add(word);
                bytes += MapBlockSizes.sizeOf(word);
            }
        }

        assertThat(ends).hasSameSizeAs(words);
        long end = 0;
        for (Map.Entry<Long, Integer> block : ends.entrySet()) {
            assertThat(block.getKey()).isGreaterThanOrEqualTo(end);
            end = block.getKey() + block.getValue();
        }
        assertThat(slabs.liveBytes()).isEqualTo(bytes);
        words.forEach(slabs::free);
        assertThat(slabs.liveBytes()).isZero();
    }

    @Test
    void allocate_noSlabLeft_takesABlockOfALargerClassThenNone() {
        int larger = CLASS + 1;
        long first = slabs.allocate(larger);
        List<Long> words = allocate((slabs.count() - 1) * PER_SLAB);
        assertThat(words).allMatch(word -> MapBlockSizes.sizeClass(word) == CLASS);
        assertThat(slabs.freeSlabs()).isZero();

        int rest = slabs.sizeClass(larger).perSlab() - 1;
        List<Long> others = allocate(rest);
        assertThat(others).allMatch(word -> MapBlockSizes.sizeClass(word) == larger);
        assertThat(slabs.allocate(CLASS)).isZero();

        slabs.free(first);
        words.forEach(slabs::free);
        others.forEach(slabs::free);
    }

    @Test
    void free_allSlabs_keepsTheMemoryOfAFewAndAllCanBeTakenAgain() {
        int all = slabs.count() * PER_SLAB;
        List<Long> words = allocate(all);
        assertThat(slabs.committedSlabs()).isEqualTo(slabs.count());
        words.forEach(word -> rig.memory.setWord(MapBlockSizes.address(word) + 8, 77));
        words.forEach(slabs::free);
        assertThat(slabs.freeSlabs()).isEqualTo(slabs.count());
        assertThat(slabs.committedSlabs()).isEqualTo(4);

        List<Long> again = allocate(all);
        assertThat(again).containsExactlyInAnyOrderElementsOf(words);
        assertThat(slabs.committedSlabs()).isEqualTo(slabs.count());
        // What was given back to the system is zero.
        assertThat(again)
                .filteredOn(word -> rig.memory.word(MapBlockSizes.address(word) + 8) == 77)
                .hasSize(4 * PER_SLAB);
        again.forEach(slabs::free);
    }

    @Test
    void takeRoomyClass_muchWasFreed_namesTheClassOnce() {
        List<Long> words = allocate(3 * PER_SLAB);
        for (int i = 0; i < PER_SLAB; i++) {
            slabs.free(words.get(3 * i));
            assertThat(slabs.takeRoomyClass()).isEqualTo(MapSlabTable.NONE);
        }
        slabs.free(words.get(1));
        assertThat(slabs.takeRoomyClass()).isEqualTo(CLASS);
        assertThat(slabs.takeRoomyClass()).isEqualTo(MapSlabTable.NONE);
        for (int i = 2; i < words.size(); i++) {
            if (i % 3 != 0) {
                slabs.free(words.get(i));
            }
        }
    }

    private List<Long> allocate(int count) {
        List<Long> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long word = slabs.allocate(CLASS);
            assertThat(word).as("block %d", i).isNotZero();
            words.add(word);
        }
        return words;
    }
}
