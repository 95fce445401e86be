package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.DefragmentationReport;
import java.lang.management.ManagementFactory;

/**
 * Deletes every second chunk and defragments the whole memory, as section V-B of the DXRAM paper does. There 10 GB in
 * chunks of 50 B, with 107 million live chunks, take 20 s, 186 ns each.
 */
final class DefragmentRun {

    private static final long SEED = 3;
    private static final long STEP_BYTES = 64L << 20;
    private static final long MOST_STEPS = 1_000_000;
    private static final int THREADS = 1;
    private static final long WARM_UP_CHUNKS = 300_000;

    private final MemoryPlan plan;
    private final Output out;
    private final SizePattern sizes;

    DefragmentRun(MemoryPlan plan, Output out) {
        this.plan = plan;
        this.out = out;
        sizes = new SizePattern(plan.sizeDistribution(), SEED);
    }

    void run() {
        new DefragmentRun(plan.smaller(WARM_UP_CHUNKS, 1), Output.silent()).measure();
        measure();
    }

    private void measure() {
        BenchStore.Factory factory = GranaryStore.factory(plan.layout(), plan.memoryBytes());
        try (GranaryStore store = (GranaryStore) factory.open(plan.chunks(), sizes)) {
            ChunkMemory memory = store.memory();
            loadAndDeleteEverySecond(store);
            out.note("before: " + Fragments.describe(memory));
            out.note("before: " + Fragments.freeBlocks(memory));
            long cpuFrom = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            long nanos = 0;
            long moved = 0;
            long steps = 0;
            DefragmentationReport report;
            do {
                report = memory.defragment(STEP_BYTES);
                nanos += report.nanos();
                moved += report.movedBytes();
                steps++;
            } while (!report.isComplete() && steps < MOST_STEPS);
            long live = memory.statistics().chunks();
            double cpuNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuFrom;
            out.note("%,d live chunks, %,d MiB moved in %.2f s, %,d steps; %.1f ns of processor time a live chunk"
                    .formatted(live, moved >> 20, nanos / 1e9, steps, cpuNanos / Math.max(1, live)));
            out.note("after: " + Fragments.describe(memory));
            out.note("after: " + Fragments.freeBlocks(memory));
            check(store);
            if (plan.verify()) {
                memory.verify().throwIfBroken();
            }
            out.line(Fragments.addTo(
                    Fragments.line("defragment", plan, memory, THREADS)
                            .with(ResultLine.RATE, Math.round(live / Math.max(1e-9, nanos / 1e9)))
                            .with(ResultLine.CPU_NANOS, cpuNanos / Math.max(1, live)),
                    memory,
                    (double) nanos / Math.max(1, live)));
        }
    }

    private void loadAndDeleteEverySecond(GranaryStore store) {
        Scratch scratch = new Scratch(sizes.maxBytes());
        for (long i = 0; i < plan.chunks(); i++) {
            scratch.fill(i, 0, sizes.sizeOf(i));
            store.insert(i, scratch, sizes.sizeOf(i));
        }
        for (long i = 1; i < plan.chunks(); i += 2) {
            if (!store.memory().delete(store.keyOf(i))) {
                throw new IllegalStateException("chunk " + i + " is missing");
            }
        }
    }

    private void check(GranaryStore store) {
        Scratch scratch = new Scratch(sizes.maxBytes());
        for (long i = 0; i < plan.chunks(); i += 2) {
            int sizeBytes = sizes.sizeOf(i);
            if (store.get(store.keyOf(i), scratch) != sizeBytes || !scratch.holds(i, 0, sizeBytes)) {
                throw new IllegalStateException("chunk " + i + " is not what it was before the defragmentation");
            }
        }
        out.note("verified: the bytes of all live chunks are what they were");
    }
}
