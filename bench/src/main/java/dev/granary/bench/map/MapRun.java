package dev.granary.bench.map;

import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Threads;
import java.io.PrintStream;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Loads a map, replaces and gets random entries, and measures the rates and the memory. */
public final class MapRun {

    /** Keys in a batch. */
    public static final int BATCH = 64;

    /**
     * The longest time of a phase. A phase that a collector slows down ends after this, and its rate counts the
     * finished operations.
     */
    private static final long PHASE_NANOS = 90_000_000_000L;

    private static final int WARM_UP_ENTRIES = 50_000;

    private final MapPlan plan;
    private final PrintStream out;

    MapRun(MapPlan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
    }

    MapResult run() throws Exception {
        warmUp();
        long rssBefore = Machine.residentBytes();
        try (MeasuredMap map = open(plan);
                PauseMeter pauses = new PauseMeter()) {
            out.println("loading " + plan.store() + ": " + plan.entries() + " entries, " + plan.threads() + " threads");
            AtomicLong loaded = new AtomicLong();
            double inserts = load(map, loaded);
            boolean complete = loaded.get() == plan.entries();
            double longest = pauses.longestMillis();
            double longestCollection = pauses.longestCollectionMillis();
            long bytes = map.bytes();
            long rss = Machine.residentBytes() - rssBefore;
            // Collections that only served to count bytes do not count as pauses.
            pauses.reset();
            if (!complete) {
                return result(inserts, null, null, null, longest, longestCollection, bytes, rss, "load given up");
            }
            double puts = phase(map, "replacing", MapRun::put);
            double gets = phase(map, "getting", MapRun::get);
            Double batched = map.hasBatches() ? phase(map, "getting in batches", MapRun::getBatches) : null;
            longest = Math.max(longest, pauses.longestMillis());
            longestCollection = Math.max(longestCollection, pauses.longestCollectionMillis());
            return result(inserts, puts, gets, batched, longest, longestCollection, bytes, rss, null);
        }
    }

    private static MeasuredMap open(MapPlan plan) {
        return plan.store().isOnHeap() ? new HeapMeasured(plan) : new OffHeapMeasured(plan);
    }

    private void warmUp() throws Exception {
        int entries = Math.min(plan.entries(), WARM_UP_ENTRIES);
        MapPlan small =
                new MapPlan(plan.name(), plan.store(), entries, plan.keyBytes(), plan.valueBytes(), 1, entries * 4);
        MapRun run = new MapRun(small, new PrintStream(PrintStream.nullOutputStream()));
        for (int i = 0; i < 3; i++) {
            try (MeasuredMap map = open(small)) {
                run.load(map, new AtomicLong());
                run.phase(map, "", MapRun::put);
                run.phase(map, "", MapRun::get);
                if (map.hasBatches()) {
                    run.phase(map, "", MapRun::getBatches);
                }
            }
        }
    }

    private double load(MeasuredMap map, AtomicLong loaded) throws Exception {
        int each = plan.entries() / plan.threads();
        Threads.Time time = Threads.time(plan.threads(), thread -> {
            MeasuredMap.Session session = map.session();
            int from = thread * each;
            int to = thread == plan.threads() - 1 ? plan.entries() : from + each;
            Deadline deadline = new Deadline();
            int number = from;
            while (number < to && !deadline.isOver(number)) {
                session.put(number++);
            }
            loaded.addAndGet(number - from);
        });
        return loaded.get() / time.seconds();
    }

    /** The work on a part of the drawn numbers. */
    private interface Phase {
        void run(MeasuredMap.Session session, int[] numbers, int from, int count);
    }

    private double phase(MeasuredMap map, String what, Phase phase) throws Exception {
        out.println(what);
        int each = plan.operations() / plan.threads();
        AtomicLong done = new AtomicLong();
        Threads.Time time = Threads.time(plan.threads(), thread -> {
            MeasuredMap.Session session = map.session();
            SplittableRandom random = new SplittableRandom(thread + 1L);
            Deadline deadline = new Deadline();
            int[] numbers = new int[BATCH];
            int finished = 0;
            for (; finished < each && !deadline.isOver(finished); finished += BATCH) {
                for (int i = 0; i < BATCH; i++) {
                    numbers[i] = random.nextInt(plan.entries());
                }
                phase.run(session, numbers, 0, BATCH);
            }
            done.addAndGet(finished);
        });
        return done.get() / time.seconds();
    }

    private static void put(MeasuredMap.Session session, int[] numbers, int from, int count) {
        for (int i = from; i < from + count; i++) {
            session.put(numbers[i]);
        }
    }

    private static void get(MeasuredMap.Session session, int[] numbers, int from, int count) {
        for (int i = from; i < from + count; i++) {
            session.get(numbers[i]);
        }
    }

    private static void getBatches(MeasuredMap.Session session, int[] numbers, int from, int count) {
        session.getBatch(numbers, from, count);
    }

    private MapResult result(
            double inserts,
            @Nullable Double puts,
            @Nullable Double gets,
            @Nullable Double batched,
            double longest,
            double longestCollection,
            long bytes,
            long rss,
            @Nullable String remark) {
        double entries = plan.entries();
        double payload = plan.keyBytes() + plan.valueBytes();
        boolean known = remark == null;
        return new MapResult(
                plan.name(),
                plan.store().toString(),
                plan.entries(),
                plan.keyBytes(),
                plan.valueBytes(),
                Runtime.getRuntime().maxMemory(),
                plan.threads(),
                known ? bytes / entries : null,
                known ? bytes / entries - payload : null,
                known && !plan.store().isOnHeap() ? rss / entries - payload : null,
                inserts,
                puts,
                gets,
                batched,
                longest,
                longestCollection,
                remark);
    }

    /** A deadline that reads the clock only now and then. */
    private static final class Deadline {
        private static final int EVERY = 1024;

        private final long end = System.nanoTime() + PHASE_NANOS;

        boolean isOver(int done) {
            return done % EVERY == 0 && System.nanoTime() - end > 0;
        }
    }
}
