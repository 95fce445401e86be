package dev.granary.bench.memory;

import java.lang.management.ManagementFactory;

/** A store in one measurement: opened, loaded, weighed. */
final class Contender implements AutoCloseable {

    private final BenchStore store;
    private final BenchStore.Factory factory;
    private final MemoryPlan plan;
    private final SizePattern sizes;
    private final double meanBytes;
    private final double loadRate;
    private final double loadCpuNanos;
    private final double rssOverhead;
    private final boolean saysItself;
    private final long chunks;

    private Contender(
            BenchStore.Factory factory,
            BenchStore store,
            MemoryPlan plan,
            SizePattern sizes,
            int threads,
            Weight before)
            throws Exception {
        this.factory = factory;
        this.store = store;
        this.plan = plan;
        this.sizes = sizes;
        chunks = plan.chunks();
        meanBytes = (double) sizes.bytesBefore(chunks) / chunks;
        saysItself = store.overheadBytes() >= 0;
        Series series = new Series();
        series.add(load(threads), chunks);
        loadRate = series.rate();
        loadCpuNanos = series.cpuNanos();
        Weight after = Weight.now();
        // The heap is in RAM from the start, so its used bytes count in addition to the growth of the process. Stores
        // that report their memory do not keep millions of objects on the heap, so theirs do not count.
        long heap = saysItself ? 0 : after.heapBytes() - before.heapBytes();
        long grown = after.residentBytes() - before.residentBytes() + heap;
        rssOverhead = (double) (grown - store.measuringBytes() - sizes.bytesBefore(chunks)) / chunks;
    }

    /** Opens a store and loads it with several threads. */
    static Contender load(BenchStore.Factory factory, MemoryPlan plan, SizePattern sizes, int threads)
            throws Exception {
        Weight before = Weight.now();
        BenchStore store = factory.open(plan.chunks(), sizes);
        try {
            return new Contender(factory, store, plan, sizes, threads, before);
        } catch (Exception | Error e) {
            store.close();
            throw e;
        }
    }

    /** The memory of the process. */
    private record Weight(long residentBytes, long heapBytes) {

        static Weight now() {
            System.gc();
            return new Weight(
                    Machine.residentBytes(),
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }

    private Threads.Time load(int threads) throws Exception {
        return Threads.time(threads, thread -> {
            Scratch scratch = new Scratch(sizes.maxBytes());
            long to = start(thread + 1, threads);
            for (long i = start(thread, threads); i < to; i++) {
                int sizeBytes = sizes.sizeOf(i);
                scratch.fill(i, 0, sizeBytes);
                store.insert(i, scratch, sizeBytes);
            }
        });
    }

    /** The first object of a thread's share, at a boundary of the key book's groups. */
    long start(int thread, int threads) {
        return thread == threads ? chunks : chunks * thread / threads / KeyBook.GROUP * KeyBook.GROUP;
    }

    BenchStore store() {
        return store;
    }

    String storeName() {
        return factory.store();
    }

    boolean isGranary() {
        return store instanceof GranaryStore;
    }

    /** A result line with the fields that are known of this store. */
    ResultLine line(String name, int threads) {
        double overhead = saysItself ? (double) store.overheadBytes() / chunks : rssOverhead;
        return new ResultLine()
                .with(ResultLine.NAME, name)
                .with(ResultLine.CHUNKS, chunks)
                .with(ResultLine.SIZE_BYTES, round(meanBytes))
                .with(ResultLine.THREADS, threads)
                .with(ResultLine.WORKLOAD, plan.workload())
                .with(ResultLine.OVERHEAD, round(overhead))
                .with(ResultLine.RSS_OVERHEAD, round(rssOverhead))
                .with(ResultLine.LOAD_RATE, Math.round(loadRate))
                .with(ResultLine.LAYOUT, factory.layout())
                .with(ResultLine.STORE, factory.store())
                .with(ResultLine.BATCH_SIZE, 1);
    }

    /** The result line of the load itself. */
    ResultLine loadLine(int threads) {
        return line("load", threads)
                .with(ResultLine.RATE, Math.round(loadRate))
                .with(ResultLine.CPU_NANOS, loadCpuNanos);
    }

    private static double round(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    @Override
    public void close() {
        store.close();
    }
}
