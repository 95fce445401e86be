package dev.granary.bench;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryStatistics;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * Chunk memory beside a plain off-heap array, in one process and by turns, so that noise from outside meets both.
 * Prints medians of the rounds: operations of all threads in a second, and processor time for one operation.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp ... dev.granary.bench.MemoryBench [chunks [rounds [operations]]]
 *
 *  chunks      objects of 32 B, default 1000000
 *  rounds      of each measurement, default 5
 *  operations  of each thread and round, default 2000000
 * </pre>
 */
public final class MemoryBench {

    private static final int SIZE = 32;
    private static final int BATCH = 1000;

    /** One of so many operations is a put. */
    private static final int PUT_EVERY = 20;

    private final int chunks;
    private final int rounds;
    private final int operations;

    private MemoryBench(int chunks, int rounds, int operations) {
        this.chunks = chunks;
        this.rounds = rounds;
        this.operations = operations;
    }

    /** Runs all measurements. */
    public static void main(String[] arguments) throws Throwable {
        int[] numbers = {1_000_000, 5, 2_000_000};
        for (int i = 0; i < arguments.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i]);
        }
        new MemoryBench(numbers[0], numbers[1], numbers[2]).run();
    }

    private void run() throws Throwable {
        describeMachine();
        loadByThreads();
        try (GranaryStore granary = load();
                PlainArray plain = new PlainArray(chunks, SIZE)) {
            overhead(granary.memory());
            mixed(granary, plain);
            puts(granary);
            batches(granary.memory());
            createAfterDeletes(granary.memory());
        }
    }

    private void describeMachine() throws IOException {
        String cpu = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 2))
                .findFirst()
                .orElse("unknown processor");
        print(
                "%s, %d cores, Java %s, load before %s",
                cpu,
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                Files.readString(Path.of("/proc/loadavg")).trim());
        print("%,d chunks of %d B, %d rounds of %,d operations a thread", chunks, SIZE, rounds, operations);
    }

    private void loadByThreads() throws Exception {
        Series one = new Series(rounds);
        Series two = new Series(rounds);
        for (int i = 0; i < rounds; i++) {
            one.add(loadTime(1), chunks);
            two.add(loadTime(2), chunks);
        }
        print("create, 1 thread %s; 2 threads %s: %.2f times", one, two, two.rateOver(one));
    }

    private Threads.Time loadTime(int threads) throws Exception {
        try (ChunkMemory memory = GranaryStore.open(chunks, SIZE)) {
            return Threads.time(threads, thread -> create(memory, chunks / threads));
        }
    }

    private static void create(ChunkMemory memory, int count) {
        MemorySegment payload = MemorySegment.ofArray(new byte[SIZE]);
        for (int i = 0; i < count; i++) {
            memory.create(payload, 0, SIZE);
        }
    }

    private GranaryStore load() throws Exception {
        ChunkMemory memory = GranaryStore.open(chunks, SIZE);
        int[] sizes = new int[BATCH];
        Arrays.fill(sizes, SIZE);
        MemorySegment payload = MemorySegment.ofArray(new byte[BATCH * SIZE]);
        long[] cids = new long[BATCH];
        Series series = new Series(1);
        Threads.Time time = Threads.time(1, thread -> {
            for (int done = 0; done < chunks; done += BATCH) {
                memory.create(Math.min(BATCH, chunks - done), sizes, payload, 0, cids);
            }
        });
        series.add(time, chunks);
        print("create in batches of %d, 1 thread %s", BATCH, series);
        return new GranaryStore(memory, SIZE);
    }

    private void overhead(ChunkMemory memory) {
        MemoryStatistics figures = memory.statistics();
        print(
                "bookkeeping: %.3f B/chunk (tables %.3f, blocks %.3f, rest %.3f); committed beside the payload %.3f",
                perChunk(figures.bookkeepingBytes()),
                perChunk(figures.tableBytes()),
                perChunk(figures.blockBytes()),
                perChunk(figures.headerBytes() + figures.heapBytes()),
                perChunk(figures.committedBytes() + figures.heapBytes() - figures.payloadBytes()));
    }

    private double perChunk(long bytes) {
        return (double) bytes / chunks;
    }

    private void mixed(Store granary, Store plain) throws Exception {
        IntFunction<int[]> zipf = thread -> Keys.zipf(operations, chunks, 7 + thread);
        IntFunction<int[]> uniform = thread -> Keys.uniform(operations, chunks, 7 + thread);
        mixed("zipf 0.99", zipf, granary, plain);
        mixed("uniform", uniform, granary, plain);
    }

    private void mixed(String name, IntFunction<int[]> draw, Store granary, Store plain) throws Exception {
        int[][] keys = {draw.apply(0), draw.apply(1)};
        for (int threads = 1; threads <= 2; threads++) {
            Series ours = new Series(rounds);
            Series bound = new Series(rounds);
            time(plain, keys, threads, PUT_EVERY);
            time(granary, keys, threads, PUT_EVERY);
            for (int i = 0; i < rounds; i++) {
                bound.add(time(plain, keys, threads, PUT_EVERY), (long) threads * operations);
                ours.add(time(granary, keys, threads, PUT_EVERY), (long) threads * operations);
            }
            print(
                    "get/put 95/5 %s, %d thread(s) %s; plain array %s; share %.2f by time, %.2f by processor time",
                    name, threads, ours, bound, ours.rateOver(bound), ours.cpuRateOver(bound));
        }
    }

    private void puts(Store granary) throws Exception {
        int[][] keys = {Keys.uniform(operations, chunks, 1), Keys.uniform(operations, chunks, 2)};
        Series one = new Series(rounds);
        Series two = new Series(rounds);
        for (int i = 0; i < rounds; i++) {
            one.add(time(granary, keys, 1, 1), operations);
            two.add(time(granary, keys, 2, 1), 2L * operations);
        }
        print("put uniform, 1 thread %s; 2 threads %s: %.2f times", one, two, two.rateOver(one));
    }

    private static Threads.Time time(Store store, int[][] keys, int threads, int putEvery) throws Exception {
        return Threads.time(threads, thread -> work(store, keys[thread], putEvery));
    }

    private static void work(Store store, int[] keys, int putEvery) {
        MemorySegment buffer = MemorySegment.ofArray(new byte[SIZE]);
        int untilPut = putEvery;
        for (int key : keys) {
            if (--untilPut == 0) {
                untilPut = putEvery;
                store.put(key, buffer);
            } else {
                store.get(key, buffer);
            }
        }
    }

    private void batches(ChunkMemory memory) throws Exception {
        int[] keys = Keys.uniform(operations, chunks, 3);
        long[] cids = Arrays.stream(keys)
                .mapToLong(key -> GranaryStore.FIRST_CID + key)
                .toArray();
        Series single = new Series(rounds);
        Series batched = new Series(rounds);
        for (int i = 0; i < rounds; i++) {
            single.add(Threads.time(1, thread -> gets(memory, cids)), operations);
            batched.add(Threads.time(1, thread -> batchGets(memory, cids)), operations);
        }
        print(
                "get uniform, 1 thread, single %s; batches of %d %s: %.2f times by time, %.2f by processor time",
                single, BATCH, batched, batched.rateOver(single), batched.cpuRateOver(single));
    }

    private static void gets(ChunkMemory memory, long[] cids) {
        MemorySegment buffer = MemorySegment.ofArray(new byte[SIZE]);
        for (long cid : cids) {
            memory.get(cid, buffer, 0, SIZE);
        }
    }

    private static void batchGets(ChunkMemory memory, long[] cids) {
        MemorySegment buffer = MemorySegment.ofArray(new byte[BATCH * SIZE]);
        int[] sizes = new int[cids.length];
        for (int i = 0; i < cids.length; i += BATCH) {
            memory.get(cids, i, Math.min(i + BATCH, cids.length), buffer, 0, BATCH * SIZE, sizes);
        }
    }

    private void createAfterDeletes(ChunkMemory memory) throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        long[] doomed = random.ints(chunks, 0, 2).asLongStream().toArray();
        Threads.Time deleting = Threads.time(1, thread -> {
            for (int i = 0; i < chunks; i++) {
                if (doomed[i] == 1) {
                    memory.delete(GranaryStore.FIRST_CID + i);
                }
            }
        });
        int deleted = (int) (chunks - memory.statistics().chunks());
        Threads.Time creating = Threads.time(1, thread -> create(memory, deleted));
        Series deletes = new Series(1);
        Series creates = new Series(1);
        deletes.add(deleting, deleted);
        creates.add(creating, deleted);
        print("delete of a random half, 1 thread %s; create after it %s", deletes, creates);
        overhead(memory);
    }

    private static void print(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format + "%n", arguments);
    }
}
