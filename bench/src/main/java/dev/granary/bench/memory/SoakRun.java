package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.DefragmentationReport;
import dev.granary.memory.MemoryStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Deletes, creates and resizes for minutes with 90 % of the memory in use and with changing sizes, while a thread
 * defragments in steps. Every chunk that is read must have its own bytes. At the end all chunks are read and deleted,
 * and nothing may be left.
 */
final class SoakRun {

    private static final double FILL = 0.9;
    private static final long FIXED_BYTES = 8L << 20;
    private static final int REPORTS = 6;
    private static final long CLEANER_STEP_BYTES = 1 << 20;
    private static final long CLEANER_REST_MILLIS = 2;
    private static final long CLEANER_PAUSE_MILLIS = 50;
    private static final long LARGEST_VERIFIED = 20_000_000;

    private final MemoryPlan plan;
    private final Output out;
    private final int threads;
    private final List<SoakThread> workers = new ArrayList<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicBoolean full = new AtomicBoolean();

    SoakRun(MemoryPlan plan, Output out) {
        this.plan = plan;
        this.out = out;
        threads = plan.threads().getLast();
    }

    void run() throws Exception {
        long payload = (long) (plan.chunks() * plan.sizeDistribution().meanBytes());
        long expected = (long) (plan.layout().expectedBytes(plan.chunks(), payload) / FILL) + FIXED_BYTES;
        long capacity = plan.memoryBytes() > 0 ? plan.memoryBytes() : expected;
        try (ChunkMemory memory = GranaryStore.openMemory(plan.layout(), capacity)) {
            int slots = Math.toIntExact(plan.chunks() * SoakThread.SLOTS_PER_CHUNK / threads);
            for (int i = 0; i < threads; i++) {
                workers.add(new SoakThread(i, memory, plan.sizeDistribution(), slots, full));
            }
            Thread watch = start("watch", () -> watch(memory));
            Threads.time(threads, thread -> workers.get(thread).fill());
            out.note("filled to %.1f %%: ".formatted(100 * usedShare(memory)) + Fragments.describe(memory));
            soak(memory);
            watch.join();
            end(memory);
        }
    }

    private static double usedShare(ChunkMemory memory) {
        MemoryStatistics figures = memory.statistics();
        return (double) figures.usedBytes() / figures.capacityBytes();
    }

    private void soak(ChunkMemory memory) throws Exception {
        Thread cleaner = start("cleaner", () -> clean(memory));
        try {
            long eachNanos = (long) (plan.minutes() * 60e9 / REPORTS);
            for (int report = 0; report < REPORTS; report++) {
                int phase = report;
                long before = operations();
                long failed = failures();
                long to = System.nanoTime() + eachNanos;
                Threads.Time time =
                        Threads.time(threads, thread -> workers.get(thread).work(to, phase));
                long done = operations() - before;
                out.line(Fragments.addTo(
                        Fragments.line("soak", plan, memory, threads)
                                .with(ResultLine.RATE, Math.round(done / time.seconds()))
                                .with(ResultLine.CPU_NANOS, time.cpuSeconds() * 1e9 / Math.max(1, done)),
                        memory,
                        Double.NaN));
                out.note(String.format(
                        Locale.ROOT,
                        "%.1f %% used, %,d creates or resizes refused for want of memory; %s",
                        100 * usedShare(memory),
                        failures() - failed,
                        Fragments.describe(memory)));
            }
        } finally {
            ended.set(true);
            cleaner.join();
        }
    }

    private long operations() {
        return workers.stream().mapToLong(SoakThread::operations).sum();
    }

    private long failures() {
        return workers.stream().mapToLong(SoakThread::failures).sum();
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Tells the workers whether memory is as full as it should be. */
    private void watch(ChunkMemory memory) {
        try {
            while (!ended.get()) {
                full.set(usedShare(memory) >= FILL);
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void clean(ChunkMemory memory) {
        try {
            while (!ended.get()) {
                DefragmentationReport report = memory.defragment(CLEANER_STEP_BYTES);
                Thread.sleep(report.isComplete() ? CLEANER_PAUSE_MILLIS : CLEANER_REST_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(ChunkMemory memory) throws Exception {
        while (!memory.defragment(CLEANER_STEP_BYTES << 6).isComplete()) {
            // Defragment to the end: the remaining overhead is what the layout needs.
        }
        out.line(Fragments.addTo(Fragments.line("soak-end", plan, memory, threads), memory, Double.NaN));
        out.note("defragmented at the end: " + Fragments.describe(memory));
        Threads.time(threads, thread -> workers.get(thread).check());
        out.note("verified: the bytes of all %,d chunks are their own"
                .formatted(memory.statistics().chunks()));
        if (memory.statistics().chunks() <= LARGEST_VERIFIED) {
            memory.verify().throwIfBroken();
            out.note("verified: every invariant of heap and tables holds");
        }
        Threads.time(threads, thread -> workers.get(thread).deleteAll());
        MemoryStatistics left = memory.statistics();
        if (left.chunks() != 0 || left.payloadBytes() != 0) {
            throw new IllegalStateException("after all chunks were deleted there are " + left.chunks() + " chunks with "
                    + left.payloadBytes() + " B");
        }
        while (!memory.defragment(CLEANER_STEP_BYTES << 6).isComplete()) {
            // Empty pages are freed as well.
        }
        out.note("all deleted, nothing leaked: " + Fragments.describe(memory));
    }
}
