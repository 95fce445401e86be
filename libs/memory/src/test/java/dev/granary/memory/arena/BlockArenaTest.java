package dev.granary.memory.arena;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.paged.MemoryTests;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockArenaTest {

    private static final int EXTENT = 64 << 10;

    private Arenas heap;
    private BlockArena arena;

    @BeforeEach
    void open() {
        heap = Arenas.open(2, 4L << 20);
        arena = heap.arenas.get(0);
        assertThat(heap.extents.extentBytes()).isEqualTo(EXTENT);
    }

    @AfterEach
    void close() {
        heap.assertSound();
        heap.close();
    }

    @Test
    void free_lastBlocksOfTwoSegments_keepsOneSegmentAndReleasesTheOther() {
        List<Long> blocks = fill(0, 1000, 3 * EXTENT / 1000);
        assertThat(arena.segmentCount()).isGreaterThan(2);
        blocks.forEach(heap::free);
        assertThat(arena.segmentCount()).isEqualTo(1);
        assertThat(heap.statistics().whollyFreeSegments()).isEqualTo(1);
        arena.trim();
        assertThat(arena.segmentCount()).isZero();
        assertThat(heap.extents.regionBytes()).isZero();
        assertThat(heap.statistics().freeExtents()).isEqualTo(heap.extents.count());
    }

    @Test
    void allocate_allThatAnotherArenaHasFreed_isGiven() {
        List<Long> blocks = fill(0, 500, Integer.MAX_VALUE);
        assertThat(heap.allocate(1, 500, 1, 1, true)).isZero();
        blocks.forEach(heap::free);
        arena.trim();
        List<Long> others = fill(1, 500, Integer.MAX_VALUE);
        assertThat(others.size()).isBetween(blocks.size() * 99 / 100, blocks.size() + 2);
        assertThat(heap.extents.owner(others.getFirst())).isEqualTo(1);
    }

    @Test
    void allocate_largerThanAnExtent_isOneSegmentUntilItIsFreed() {
        heap.allocate(0, 100, 1, 1, false);
        long large = heap.allocate(0, 5 * EXTENT / 2, 1, 2, false);
        assertThat(arena.segmentCount()).isEqualTo(2);
        assertThat(heap.extents.segmentOf(large + 2L * EXTENT)).isEqualTo(heap.extents.segmentOf(large));
        assertThat(heap.extents.owner(large + 2L * EXTENT)).isZero();
        // The rest of its last extent serves other blocks, which keep the segment.
        long behind = heap.allocate(0, EXTENT / 2 - 1000, 1, 1, false);
        heap.assertSound();
        heap.free(large);
        assertThat(arena.segmentCount()).isEqualTo(2);
        heap.free(behind);
        assertThat(arena.segmentCount()).isEqualTo(1);
        heap.assertSound();
    }

    @Test
    void allocate_moreThanTheCapacity_isRefused() {
        assertThat(heap.allocate(0, 4L << 20, 1, 1, true)).isZero();
        assertThat(heap.allocate(0, 1L << 40, 1, 1, true)).isZero();
        long most = (4L << 20) - Arenas.headerBytes(2) - 2;
        long all = heap.allocate(0, most, 1, 1, false);
        assertThat(all).isEqualTo(Arenas.headerBytes(2) + 1);
        heap.assertSound();
        heap.free(all);
        assertThat(arena.segmentCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 16, 64})
    void allocateAligned_eachAlignment_padsWithinTheBlock(int alignment) {
        List<Long> blocks = new ArrayList<>();
        for (int size = 1; size < 200; size++) {
            blocks.add(heap.allocate(0, size, alignment, Marker.OTHER, false));
            blocks.add(heap.allocate(0, size, 1, 1, false));
        }
        heap.assertSound();
        for (int i = 0; i < blocks.size(); i += 2) {
            heap.free(blocks.get(i));
            heap.assertSound();
        }
        for (int i = 1; i < blocks.size(); i += 2) {
            heap.free(blocks.get(i));
        }
        assertThat(arena.allocatedBytes()).isZero();
    }

    @Test
    void allocateAligned_whereABlockOfThisSizeWasFreed_takesItAgain() {
        List<Long> pages = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            pages.add(heap.allocate(0, 8192, 64, Marker.OTHER, false));
        }
        assertThat(arena.segmentCount()).isEqualTo(1);
        long middle = pages.get(3);
        heap.free(middle);
        assertThat(heap.allocate(0, 8192, 64, Marker.OTHER, false)).isEqualTo(middle);
        // Nothing but what is behind the last one is free: padding is not.
        assertThat(heap.statistics().freeBlocks()).isEqualTo(1);
    }

    @Test
    void allocateTidy_holesOfAnySize_leavesNoSmallFreeBlock() {
        Random random = new Random(1);
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            blocks.add(heap.allocate(0, 100 + random.nextInt(300), 1, 1, false));
        }
        for (int i = 0; i < blocks.size(); i += 2) {
            heap.free(blocks.get(i));
        }
        for (int i = 0; i < 3000; i++) {
            int alignment = random.nextInt(3) == 0 ? 8 : 1;
            int size = 20 + random.nextInt(200);
            long block = arena.allocateTidy(size, alignment, Marker.OTHER);
            assertThat(block % alignment).isZero();
            heap.note(0, block, size, Marker.OTHER);
        }
        assertThat(heap.statistics().smallFreeBlocks()).isZero();
        heap.assertSound();
        List.copyOf(heap.blocks.keySet()).forEach(heap::free);
        assertThat(arena.allocatedBytes()).isZero();
    }

    @Test
    void startEvacuation_segmentWithFreeBlocks_isNotAllocatedFromAndReleasedWhenEmpty() {
        List<Long> blocks = fill(0, 100, 2 * EXTENT / 101);
        int segment = heap.extents.segmentOf(blocks.getFirst());
        for (int i = 0; i < blocks.size(); i += 2) {
            heap.free(blocks.get(i));
        }
        assertThat(arena.startEvacuation(segment)).isTrue();
        assertThat(arena.startEvacuation(segment)).isFalse();
        assertThat(heap.statistics().evacuatingSegments()).isEqualTo(1);
        fill(0, 100, 2000);
        heap.assertSound();
        for (long block : List.copyOf(heap.blocks.keySet())) {
            if (heap.extents.segmentOf(block) == segment) {
                heap.free(block);
            }
        }
        assertThat(heap.extents.isSegment(segment, 0)).isFalse();
        assertThat(heap.statistics().evacuatingSegments()).isZero();
    }

    @Test
    void stopEvacuation_parkedBlocks_areAllocatedAgain() {
        List<Long> blocks = fill(0, 100, EXTENT / 2 / 101);
        int segment = heap.extents.segmentOf(blocks.getFirst());
        arena.startEvacuation(segment);
        for (int i = 0; i < blocks.size(); i += 2) {
            heap.free(blocks.get(i));
        }
        long elsewhere = heap.allocate(0, 100, 1, 1, false);
        assertThat(heap.extents.segmentOf(elsewhere)).isNotEqualTo(segment);
        heap.assertSound();
        arena.stopEvacuation(segment);
        heap.assertSound();
        List<Long> again = fill(0, 100, blocks.size());
        assertThat(again.stream().filter(block -> heap.extents.segmentOf(block) == segment))
                .isNotEmpty();
    }

    @Test
    void startEvacuation_segmentOfAnotherArenaOrNone_isRefused() {
        long block = heap.allocate(1, 100, 1, 1, false);
        assertThat(arena.startEvacuation(heap.extents.segmentOf(block))).isFalse();
        assertThat(arena.startEvacuation(5)).isFalse();
        arena.stopEvacuation(5);
    }

    @Test
    void allocateRun_longerThanAnExtent_isRefused() {
        int[] sizes = new int[100];
        Arrays.fill(sizes, 1000);
        assertThat(arena.allocateRun(sizes, 0, 100, new long[100])).isFalse();
        long[] blocks = new long[50];
        assertThat(arena.allocateRun(sizes, 0, 50, blocks)).isTrue();
        for (long block : blocks) {
            heap.note(0, block, 1000, Marker.chunk(1000));
        }
    }

    @Test
    void violations_plantedDamage_isFound() {
        long first = heap.allocate(0, 100, 1, 1, false);
        long second = heap.allocate(0, 100, 64, Marker.OTHER, false);
        int marker = heap.vmb.getByte(first - 1);
        heap.vmb.setByte(first - 1, Marker.of(Marker.EDGE, 2));
        assertThat(heap.violations()).isNotEmpty();
        heap.vmb.setByte(first - 1, marker);
        Arenas.Block block = Objects.requireNonNull(heap.blocks.remove(second));
        assertThat(heap.violations()).isNotEmpty();
        heap.blocks.put(second, new Arenas.Block(99, block.kind(), block.fill()));
        assertThat(heap.violations()).isNotEmpty();
        heap.blocks.put(second, block);
        heap.extents.segments().add(0, 10);
        assertThat(heap.violations()).hasSize(3);
        heap.extents.segments().remove(0, 10);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomOperations_againstAModel_keepAllInvariants(long seed) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int steps = MemoryTests.steps(10_000);
        for (int step = 0; step < steps; step++) {
            int number = random.nextInt(2);
            switch (random.nextInt(40)) {
                case 0 -> toggleEvacuation(random);
                case 1 -> heap.arenas.get(number).trim();
                case 2 -> run(random, number);
                case 3 -> heap.extents.giveBackFree();
                default -> {
                    boolean full = heap.blocks.size() > 1500;
                    if (random.nextInt(100) < (full ? 40 : 55)) {
                        int alignment = random.nextBoolean() ? 1 : 1 << random.nextInt(7);
                        heap.allocate(number, size(random), alignment, kind(random), random.nextInt(10) == 0);
                    } else if (!heap.blocks.isEmpty()) {
                        Long block = heap.blocks.ceilingKey(random.nextLong(4L << 20));
                        heap.free(block == null ? heap.blocks.firstKey() : block);
                    }
                }
            }
            if (step % 200 == 0) {
                heap.assertSound();
            }
        }
        List.copyOf(heap.blocks.keySet()).forEach(heap::free);
        heap.arenas.forEach(BlockArena::trim);
        assertThat(heap.extents.regionBytes()).isZero();
        assertThat(heap.statistics().freeBlocks()).isZero();
        assertThat(heap.statistics().evacuatingSegments()).isZero();
    }

    private void toggleEvacuation(Random random) {
        List<Integer> segments = heap.segments();
        if (segments.isEmpty()) {
            return;
        }
        int segment = segments.get(random.nextInt(segments.size()));
        BlockArena owner = heap.arenas.get(heap.extents.owner(heap.extents.start(segment)));
        if (heap.extents.segments().isEvacuating(segment)) {
            owner.stopEvacuation(segment);
        } else if (random.nextInt(3) == 0) {
            owner.startEvacuation(segment);
        }
    }

    private void run(Random random, int number) {
        int[] sizes = random.ints(1 + random.nextInt(30), 0, 100).toArray();
        long[] blocks = new long[sizes.length];
        if (heap.arenas.get(number).allocateRun(sizes, 0, sizes.length, blocks)) {
            for (int i = 0; i < sizes.length; i++) {
                if (sizes[i] > 0) {
                    heap.note(number, blocks[i], sizes[i], Marker.chunk(sizes[i]));
                }
            }
        }
    }

    private static long size(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> 1 + random.nextInt(3 * EXTENT);
            case 1, 2 -> 1 + random.nextInt(10_000);
            case 3, 4, 5, 6 -> 1 + random.nextInt(1000);
            default -> 1 + random.nextInt(80);
        };
    }

    private static int kind(Random random) {
        int[] kinds = {1, 2, 3, 4, Marker.TABLE, Marker.OTHER};
        return kinds[random.nextInt(kinds.length)];
    }

    private List<Long> fill(int number, int sizeBytes, int most) {
        List<Long> blocks = new ArrayList<>();
        while (blocks.size() < most) {
            long block = heap.allocate(number, sizeBytes, 1, 1, true);
            if (block == 0) {
                break;
            }
            blocks.add(block);
        }
        return blocks;
    }
}
