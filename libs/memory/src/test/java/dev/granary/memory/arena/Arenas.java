package dev.granary.memory.arena;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.FragmentationStatistics;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.os.Vmb;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Some arenas in one VMB, with a model: every allocated block, filled with bytes of its own. */
final class Arenas implements AutoCloseable {

    /** An allocated block: its size, its kind, and what it is filled with. */
    record Block(long sizeBytes, int kind, int fill) {}

    final Vmb vmb;
    final Extents extents;
    final List<BlockArena> arenas = new ArrayList<>();
    final TreeMap<Long, Block> blocks = new TreeMap<>();
    private int fills;

    Arenas(int count, long capacityBytes, SystemMemoryConfig config) {
        vmb = new Vmb(capacityBytes, config);
        extents = new Extents(vmb, headerBytes(count));
        for (int i = 0; i < count; i++) {
            arenas.add(new BlockArena(vmb, extents, i, (long) i * FreeLists.ANCHOR_BYTES));
        }
    }

    static Arenas open(int count, long capacityBytes) {
        return new Arenas(count, capacityBytes, SystemMemoryConfig.defaults().withHugePages(false));
    }

    static long headerBytes(int count) {
        return (long) count * FreeLists.ANCHOR_BYTES;
    }

    /** Allocates and fills a block, or returns 0. */
    long allocate(int arena, long sizeBytes, int alignmentBytes, int kind, boolean exhaustive) {
        long block = arenas.get(arena).allocateAligned(sizeBytes, alignmentBytes, kind, exhaustive);
        if (block != 0) {
            assertThat(block % alignmentBytes).isZero();
            note(arena, block, sizeBytes, kind);
        }
        return block;
    }

    void note(int arena, long block, long sizeBytes, int kind) {
        assertThat(extents.owner(block)).isEqualTo(arena);
        assertThat(extents.segments().isEvacuating(extents.segmentOf(block))).isFalse();
        Map.Entry<Long, Block> below = blocks.floorEntry(block);
        assertThat(below == null || below.getKey() + below.getValue().sizeBytes < block)
                .isTrue();
        Map.Entry<Long, Block> above = blocks.ceilingEntry(block);
        assertThat(above == null || block + sizeBytes < above.getKey()).isTrue();
        int fill = fills++ & 0xff;
        fill(block, sizeBytes, fill);
        blocks.put(block, new Block(sizeBytes, kind, fill));
    }

    /** Checks that nobody else wrote into a block, and frees it. */
    void free(long address) {
        Block block = Objects.requireNonNull(blocks.remove(address));
        check(address, block);
        arenas.get(extents.owner(address)).free(address, block.sizeBytes);
    }

    /** Checks the contents of all blocks, and all invariants. */
    void assertSound() {
        assertThat(violations()).isEmpty();
        blocks.forEach(this::check);
    }

    List<String> violations() {
        AllocatedBlocks allocated = new AllocatedBlocks();
        blocks.forEach((address, block) -> allocated.add(address, block.sizeBytes, block.kind));
        List<String> violations = new ArrayList<>();
        allocated.sort(violations);
        long met = 0;
        for (BlockArena arena : arenas) {
            ArenaVerifier verifier = new ArenaVerifier(vmb, extents, arena, allocated, violations);
            verifier.verify();
            met += verifier.allocatedBlocks();
        }
        if (met != blocks.size()) {
            violations.add("%d blocks in segments, %d allocated".formatted(met, blocks.size()));
        }
        return violations;
    }

    FragmentationStatistics statistics() {
        FragmentationSum sum = new FragmentationSum(extents);
        arenas.forEach(sum::add);
        return sum.result();
    }

    /** Segments of all arenas. */
    List<Integer> segments() {
        List<Integer> segments = new ArrayList<>();
        for (BlockArena arena : arenas) {
            for (BlockArena.Region region : arena.regions()) {
                segments.add(extents.segmentOf(region.start()));
            }
        }
        return segments;
    }

    @Override
    public void close() {
        vmb.close();
    }

    private void fill(long address, long sizeBytes, int fill) {
        vmb.setByte(address, fill);
        vmb.setByte(address + sizeBytes - 1, fill);
        for (long i = 1; i < Math.min(sizeBytes, 64); i++) {
            vmb.setByte(address + i, fill);
        }
    }

    private void check(long address, Block block) {
        checkByte(address + block.sizeBytes - 1, block);
        for (long i = 0; i < Math.min(block.sizeBytes, 64); i++) {
            checkByte(address + i, block);
        }
    }

    /** Without AssertJ, which would take most of the time of millions of comparisons. */
    private void checkByte(long address, Block block) {
        int there = vmb.getByte(address);
        if (there != block.fill) {
            throw new AssertionError("%d at %d, in a block filled with %d".formatted(there, address, block.fill));
        }
    }
}
