package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.FragmentationStatistics;
import dev.granary.memory.FragmentationStatistics.FreeClass;
import dev.granary.memory.MemoryStatistics;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes the memory that is not payload, in result lines and for people. */
final class Fragments {

    private static final double MIB = 1 << 20;

    private Fragments() {}

    /** Adds the additional fields of soak and defragment. */
    static ResultLine addTo(ResultLine line, ChunkMemory memory, double nanosPerLiveChunk) {
        FragmentationStatistics figures = memory.fragmentation();
        return line.with(ResultLine.FRAGMENTATION, rounded(figures.fragmentation()))
                .with(ResultLine.NANOS_PER_LIVE_CHUNK, rounded(nanosPerLiveChunk))
                .with(ResultLine.WHOLE_FREE_SHARE, rounded(figures.wholeFreeSegmentsShare()));
    }

    /**
     * A result line of chunk memory with its present figures. The overhead is the memory in use without payload and
     * free blocks.
     */
    static ResultLine line(String name, MemoryPlan plan, ChunkMemory memory, int threads) {
        MemoryStatistics figures = memory.statistics();
        long chunks = Math.max(1, figures.chunks());
        return new ResultLine()
                .with(ResultLine.NAME, name)
                .with(ResultLine.CHUNKS, figures.chunks())
                .with(ResultLine.SIZE_BYTES, rounded((double) figures.payloadBytes() / chunks))
                .with(ResultLine.THREADS, threads)
                .with(ResultLine.DISTRIBUTION, KeyDistribution.UNIFORM.toString())
                .with(ResultLine.WORKLOAD, plan.workload())
                .with(ResultLine.OVERHEAD, rounded((double) figures.bookkeepingBytes() / chunks))
                .with(ResultLine.LAYOUT, plan.layout().toString())
                .with(ResultLine.STORE, "granary")
                .with(ResultLine.BATCH_SIZE, 1);
    }

    /** One line for people. */
    static String describe(ChunkMemory memory) {
        MemoryStatistics figures = memory.statistics();
        return String.format(
                Locale.ROOT,
                "payload %.1f MiB, bookkeeping %.1f MiB%s, free %.1f MiB, in use from the system %.1f of %.1f MiB",
                figures.payloadBytes() / MIB,
                figures.bookkeepingBytes() / MIB,
                figures.payloadBytes() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, " (%.2f %%)", 100.0 * figures.bookkeepingBytes() / figures.payloadBytes()),
                figures.freeBytes() / MIB,
                figures.committedBytes() / MIB,
                figures.capacityBytes() / MIB);
    }

    /** The free blocks by size, as in table I of the DXRAM paper. */
    static String freeBlocks(ChunkMemory memory) {
        FragmentationStatistics figures = memory.fragmentation();
        String classes = figures.classes().stream().map(Fragments::describe).collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "free: %,d extents of %.0f KiB, %,d of %,d segments wholly; blocks by least size: %s",
                figures.freeExtents(),
                figures.extentBytes() / 1024.0,
                figures.whollyFreeSegments(),
                figures.segments(),
                classes.isEmpty() ? "none" : classes);
    }

    private static String describe(FreeClass free) {
        return String.format(Locale.ROOT, "%,d B: %,d", free.minBytes(), free.blocks());
    }

    private static double rounded(double value) {
        return Double.isNaN(value) ? value : Math.round(value * 10_000) / 10_000.0;
    }
}
