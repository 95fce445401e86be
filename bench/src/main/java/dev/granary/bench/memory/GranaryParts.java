package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Measures the operations that only chunk memory has: batches of CIDs, and creates that reuse freed memory. */
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
            batchPuts();
            batchCreates("create-batch", this::createAll);
            batchCreates("create-consecutive", this::createConsecutive);
        }
        if (plan.parts().contains(Part.RECREATE)) {
            // Afterwards CIDs are no longer consecutive, and the benchmark needs memory to note them.
            if (plan.chunks() * KeyBook.BYTES_PER_SCATTERED_KEY * 5 / 4 > Machine.availableBytes()) {
                out.note("no creates after deletes: too little memory is left to note the new CIDs");
            } else {
                recreate();
            }
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

    private void batchPuts() throws Exception {
        int each = Math.max(plan.batchSize(), plan.operations() / threads);
        long[][] objects = new long[threads][each];
        long[][] cids = new long[threads][each];
        Series series = new Series();
        for (int round = 0; round <= plan.rounds(); round++) {
            int salt = round;
            Threads.time(threads, thread -> {
                SplittableRandom random = new SplittableRandom(SEED + thread + 37L * salt);
                Arrays.setAll(objects[thread], i -> random.nextLong(plan.chunks()));
                Arrays.setAll(cids[thread], i -> store.keyOf(objects[thread][i]));
            });
            Threads.Time time = Threads.time(threads, thread -> putAll(objects[thread], cids[thread]));
            if (round > 0) {
                series.add(time, (long) each * threads);
            }
        }
        line("put-batch", series, plan.batchSize());
    }

    /** Puts chunks in batches. Payloads are made between the batches, as single puts make them between puts. */
    private void putAll(long[] objects, long[] cids) {
        int batch = plan.batchSize();
        int capacity = (int) Math.max(sizes.maxBytes(), Math.min(BUFFER_BYTES, (long) batch * sizes.maxBytes()));
        MemorySegment buffer = MemorySegment.ofArray(new byte[capacity]);
        Scratch scratch = new Scratch(sizes.maxBytes());
        int[] lengths = new int[cids.length];
        boolean[] replaced = new boolean[cids.length];
        for (int from = 0; from < cids.length; ) {
            int to = from;
            int bytes = 0;
            for (; to < cids.length && to - from < batch; to++) {
                int sizeBytes = sizes.sizeOf(objects[to]);
                if (bytes + sizeBytes > capacity) {
                    break;
                }
                scratch.fill(objects[to], 1, sizeBytes);
                MemorySegment.copy(scratch.segment(), 0, buffer, bytes, sizeBytes);
                lengths[to] = sizeBytes;
                bytes += sizeBytes;
            }
            if (memory.replace(cids, from, to, buffer, 0, lengths, replaced) != to - from) {
                throw new IllegalStateException("a chunk of a batch is missing");
            }
            from = to;
        }
    }

    /** Creates {@code count} chunks in batches. */
    private interface Creates {
        void run(ChunkMemory target, long count);
    }

    private void batchCreates(String name, Creates creates) throws Exception {
        long each = Math.min(plan.chunks(), BATCH_CREATES) / threads / plan.batchSize() * plan.batchSize();
        if (each == 0) {
            out.note("no %s: fewer chunks than %d a thread".formatted(name, plan.batchSize()));
            return;
        }
        Series series = new Series();
        double overhead = 0;
        for (int round = 0; round < plan.rounds(); round++) {
            long capacity = plan.layout().capacityBytes(each * threads, sizes.bytesBefore(each) * threads);
            try (ChunkMemory fresh = GranaryStore.openMemory(plan.layout(), capacity)) {
                series.add(Threads.time(threads, thread -> creates.run(fresh, each)), each * threads);
                overhead = (double) GranaryStore.overheadBytes(fresh) / (each * threads);
            }
        }
        out.line(result(name, series, plan.batchSize())
                .with(ResultLine.CHUNKS, each * threads)
                .with(ResultLine.OVERHEAD, Math.round(overhead * 1000) / 1000.0)
                .without(ResultLine.RSS_OVERHEAD));
    }

    private void createAll(ChunkMemory target, long count) {
        long[] cids = new long[plan.batchSize()];
        inBatches(count, (lengths, payload) -> target.create(lengths.length, lengths, payload, 0, cids));
    }

    private void createConsecutive(ChunkMemory target, long count) {
        inBatches(count, (lengths, payload) -> target.createConsecutive(lengths.length, lengths, payload, 0));
    }

    /** The work on the sizes of one batch, with payloads of zero bytes. */
    private interface Batch {
        void run(int[] lengths, MemorySegment payload);
    }

    private void inBatches(long count, Batch batch) {
        int size = plan.batchSize();
        int[] lengths = new int[size];
        long largest = 0;
        for (long i = 0; i < count; i += size) {
            largest = Math.max(largest, sizes.bytesBefore(i + size) - sizes.bytesBefore(i));
        }
        MemorySegment payload = MemorySegment.ofArray(new byte[Math.toIntExact(largest)]);
        for (long i = 0; i < count; i += size) {
            for (int k = 0; k < size; k++) {
                lengths[k] = sizes.sizeOf(i + k);
            }
            batch.run(lengths, payload);
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

    /** Whether an object belongs to the random half that is deleted. */
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
