package dev.granary.env;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how often probes are hit, in all threads of the process, once somebody has asked for it;
 * processes that serve never do. Thread-safe.
 */
public final class Probes {

    /** Written before the threads that are counted begin: a plain field costs nothing to read. */
    static boolean counting;

    private static final ConcurrentHashMap<Probe, LongAdder> COUNTS = new ConcurrentHashMap<>();

    private Probes() {}

    /** Counts from zero from now on, in threads that are started afterwards. */
    public static void startCounting() {
        COUNTS.clear();
        counting = true;
    }

    /** How often a probe was hit so far, since counting was last started. */
    public static long hits(Probe probe) {
        LongAdder count = COUNTS.get(probe);
        return count == null ? 0 : count.sum();
    }

    static void count(Probe probe) {
        COUNTS.computeIfAbsent(probe, each -> new LongAdder()).increment();
    }
}
