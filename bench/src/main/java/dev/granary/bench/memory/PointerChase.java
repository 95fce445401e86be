package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.List;

/**
 * Measures gets that depend on each other: each object holds the key of the next one in its first 8 bytes, so that no
 * two cache misses overlap. In the plain array this is bare pointer chasing: it reads 8 bytes and copies nothing.
 *
 * <p>Destroys the objects' payloads.
 */
final class PointerChase {

    /** A full cycle over a power of two: the multiplier is 1 modulo 4, the increment odd (Hull and Dobell). */
    private static final long MULTIPLIER = 2_862_933_555_777_941_757L;

    private static final long INCREMENT = 3_037_000_493L;

    private final MemoryPlan plan;
    private final SizePattern sizes;
    private final int threads;
    private final long objects;

    PointerChase(MemoryPlan plan, SizePattern sizes, int threads) {
        this.plan = plan;
        this.sizes = sizes;
        this.threads = threads;
        objects = Long.highestOneBit(plan.chunks());
    }

    void measure(List<Contender> contenders, Output out) throws Exception {
        if (sizes.minBytes() < Long.BYTES) {
            out.note("no dependent gets: some objects are smaller than a pointer");
            return;
        }
        for (Contender contender : contenders) {
            link(contender.store());
        }
        int steps = Math.max(1, plan.operations() / 4 / threads);
        List<Series> results =
                contenders.stream().map(contender -> new Series()).toList();
        for (int round = 0; round <= plan.rounds(); round++) {
            for (int place = 0; place < contenders.size(); place++) {
                BenchStore store = contenders.get(place).store();
                int salt = round;
                Threads.Time time = Threads.time(threads, thread -> {
                    long first = store.keyOf((thread * 7919L + salt * 104_729L) & (objects - 1));
                    long last =
                            store instanceof PlainArray plain ? chase(plain, first, steps) : chase(store, first, steps);
                    if (last == -1) {
                        throw new IllegalStateException("a chase ended nowhere");
                    }
                });
                if (round > 0) {
                    results.get(place).add(time, (long) steps * threads);
                }
            }
        }
        for (int place = 0; place < contenders.size(); place++) {
            out.line(contenders
                    .get(place)
                    .line("get-dependent", threads)
                    .with(ResultLine.DISTRIBUTION, KeyDistribution.UNIFORM.toString())
                    .with(ResultLine.RATE, Math.round(results.get(place).rate()))
                    .with(ResultLine.CPU_NANOS, results.get(place).cpuNanos()));
        }
    }

    private void link(BenchStore store) throws Exception {
        Threads.time(threads, thread -> {
            Scratch scratch = new Scratch(sizes.maxBytes());
            for (long i = objects * thread / threads; i < objects * (thread + 1) / threads; i++) {
                long next = (i * MULTIPLIER + INCREMENT) & (objects - 1);
                scratch.segment().set(JAVA_LONG_UNALIGNED, 0, store.keyOf(next));
                if (!store.put(store.keyOf(i), scratch, sizes.sizeOf(i))) {
                    throw new IllegalStateException("object " + i + " is missing");
                }
            }
        });
    }

    private static long chase(PlainArray plain, long first, int steps) {
        long key = first;
        for (int i = 0; i < steps; i++) {
            key = plain.firstWord(key);
        }
        return key;
    }

    private long chase(BenchStore store, long first, int steps) {
        Scratch scratch = new Scratch(sizes.maxBytes());
        long key = first;
        for (int i = 0; i < steps; i++) {
            store.get(key, scratch);
            key = scratch.segment().get(JAVA_LONG_UNALIGNED, 0);
        }
        return key;
    }
}
