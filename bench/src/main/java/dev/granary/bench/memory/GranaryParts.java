package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What only chunk memory has: batches of CIDs, and creates that reuse what was deleted. */
final class GranaryParts {

    private static final long SEED = 77;
    private static final long BATCH_CREATES = 4_000_000;
    private static final int BUFFER_BYTES = 8 << 20;

    private final MemoryPlan plan;
    private final SizePattern sizes;
    private final Contender contender;
    private final GranaryStore store;
    private final ChunkMemory memory;
    private final int threads;
    private final Output out;

    GranaryParts(MemoryPlan plan, SizePattern sizes, Contender contender, int threads, Output out) {
        this.plan = plan;
        this.sizes = sizes;
        this.contender = contender;
        this.store = (GranaryStore) contender.store();
        this.memory = store.memory();
        this.threads = threads;
        this.out = out;
    }

    void run() throws Exception {
        if (plan.parts().contains(Part.BATCHES)) {
            batchGets();
            batchCreates();
        }
        if (plan.parts().contains(Part.RECREATE)) {
            recreate();
        }
    }

    private void line(String name, Series series, int batchSize) {
        out.line(result(name, series, batchSize));
    }

    private ResultLine result(String name, Series series, int batchSize) {
        return contender
                .line(name, threads)
                .with(ResultLine.DISTRIBUTION, KeyDistribution.UNIFORM.toString())
                .with(ResultLine.RATE, Math.round(series.rate()))
                .with(ResultLine.CPU_NANOS, series.cpuNanos())
                .with(ResultLine.BATCH_SIZE, batchSize);
    }

    private void batchGets() throws Exception {
        int each = Math.max(plan.batchSize(), plan.operations() / threads);
        long[][] cids = new long[threads][each];
        Series series = new Series();
        for (int round = 0; round <= plan.rounds(); round++) {
            int salt = round;
            Threads.time(threads, thread -> {
                SplittableRandom random = new SplittableRandom(SEED + thread + 31L * salt);
                Arrays.setAll(cids[thread], i -> store.keyOf(random.nextLong(plan.chunks())));
            });
            Threads.Time time = Threads.time(threads, thread -> getAll(cids[thread]));
            if (round > 0) {
                series.add(time, (long) each * threads);
            }
        }
        line("get-batch", series, plan.batchSize());
    }

    private void getAll(long[] cids) {
        int capacity =
                (int) Math.max(sizes.maxBytes(), Math.min(BUFFER_BYTES, (long) plan.batchSize() * sizes.maxBytes()));
        MemorySegment buffer = MemorySegment.ofArray(new byte[capacity + Long.BYTES]);
        int[] found = new int[cids.length];
        for (int from = 0; from < cids.length; from += plan.batchSize()) {
            int to = Math.min(from + plan.batchSize(), cids.length);
            for (int next = from; next < to; ) {
                next = memory.get(cids, next, to, buffer, 0, capacity, found);
            }
            if (found[from] < 0 || found[to - 1] < 0) {
                throw new IllegalStateException("a chunk of a batch is missing");
            }
        }
    }

    private void batchCreates() throws Exception {
        long each = Math.min(plan.chunks(), BATCH_CREATES) / threads / plan.batchSize() * plan.batchSize();
        if (each == 0) {
            out.note("no batches of creates: fewer chunks than %d a thread".formatted(plan.batchSize()));
            return;
        }
        Series series = new Series();
        for (int round = 0; round < plan.rounds(); round++) {
            long capacity = plan.layout().capacityBytes(each * threads, sizes.bytesBefore(each) * threads);
            try (ChunkMemory fresh = GranaryStore.openMemory(plan.layout(), capacity)) {
                series.add(Threads.time(threads, thread -> createAll(fresh, each)), each * threads);
            }
        }
        line("create-batch", series, plan.batchSize());
    }

    private void createAll(ChunkMemory target, long count) {
        int batch = plan.batchSize();
        int[] lengths = new int[batch];
        long[] cids = new long[batch];
        long largest = 0;
        for (long i = 0; i < count; i += batch) {
            largest = Math.max(largest, sizes.bytesBefore(i + batch) - sizes.bytesBefore(i));
        }
        MemorySegment payload = MemorySegment.ofArray(new byte[Math.toIntExact(largest)]);
        for (long i = 0; i < count; i += batch) {
            for (int k = 0; k < batch; k++) {
                lengths[k] = sizes.sizeOf(i + k);
            }
            target.create(batch, lengths, payload, 0, cids);
        }
    }

    private void recreate() throws Exception {
        Series deletes = new Series();
        long[] deleted = new long[threads];
        Threads.Time deleting = Threads.time(threads, thread -> deleted[thread] = deleteHalf(thread));
        long count = Arrays.stream(deleted).sum();
        deletes.add(deleting, Math.max(1, count));
        out.line(result("delete-batch", deletes, plan.batchSize()).without(ResultLine.OVERHEAD));
        Series creates = new Series();
        creates.add(Threads.time(threads, this::createHalf), Math.max(1, count));
        line("create-after-delete", creates, 1);
    }

    /** Whether an object is of the random half. */
    private static boolean isDoomed(long index) {
        return (((index * 0x9e3779b97f4a7c15L) >>> 40) & 1) == 1;
    }

    private long deleteHalf(int thread) {
        long[] cids = new long[plan.batchSize()];
        boolean[] done = new boolean[cids.length];
        int pending = 0;
        long count = 0;
        long to = contender.start(thread + 1, threads);
        for (long i = contender.start(thread, threads); i < to; i++) {
            if (isDoomed(i)) {
                cids[pending++] = store.keyOf(i);
            }
            if (pending == cids.length || (i == to - 1 && pending > 0)) {
                if (memory.delete(cids, 0, pending, done) != pending) {
                    throw new IllegalStateException("a chunk to be deleted is missing");
                }
                count += pending;
                pending = 0;
            }
        }
        return count;
    }

    private void createHalf(int thread) {
        Scratch scratch = new Scratch(sizes.maxBytes());
        long to = contender.start(thread + 1, threads);
        for (long i = contender.start(thread, threads); i < to; i++) {
            if (isDoomed(i)) {
                int sizeBytes = sizes.sizeOf(i);
                scratch.fill(i, 0, sizeBytes);
                store.moved(i, memory.create(scratch.segment(), 0, sizeBytes));
            }
        }
    }
}
