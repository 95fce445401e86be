package dev.granary.bench.memory;

import java.util.List;
import org.HdrHistogram.Histogram;

/** Times of single operations of all threads in nanoseconds, including the time to read the clock. */
final class Latencies {

    private static final long HIGHEST_NANOS = 10_000_000_000L;

    /** One in this many operations is timed, so that the clock disturbs the others little. */
    private static final int EVERY = 8;

    private final Histogram gets = new Histogram(HIGHEST_NANOS, 3);
    private final Histogram puts = new Histogram(HIGHEST_NANOS, 3);

    /** Runs each trace on its own thread and times a sample of the operations. */
    static Latencies measure(List<Trace> traces, int place, BenchStore store, int scratchBytes) throws Exception {
        Latencies all = new Latencies();
        Threads.time(traces.size(), thread -> {
            Latencies own = new Latencies();
            own.run(traces.get(thread), place, store, new Scratch(scratchBytes));
            all.add(own);
        });
        return all;
    }

    private synchronized void add(Latencies other) {
        gets.add(other.gets);
        puts.add(other.puts);
    }

    private void run(Trace trace, int place, BenchStore store, Scratch scratch) {
        long[] keys = trace.keys(place);
        for (int i = 0; i < keys.length; i++) {
            boolean timed = i % EVERY == 0;
            boolean isPut = trace.isPut(i);
            int sizeBytes = trace.sizeBytes(i);
            if (isPut) {
                scratch.fill(trace.object(i), 1, sizeBytes);
            }
            long from = timed ? System.nanoTime() : 0;
            boolean done = isPut ? store.put(keys[i], scratch, sizeBytes) : store.get(keys[i], scratch) == sizeBytes;
            if (timed) {
                (isPut ? puts : gets).recordValue(Math.min(System.nanoTime() - from, HIGHEST_NANOS));
            }
            if (!done) {
                throw trace.missing(i, -1);
            }
        }
    }

    /** The median time between two consecutive readings of the clock. */
    static long timerNanos() {
        Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
        for (int i = 0; i < 200_000; i++) {
            long from = System.nanoTime();
            histogram.recordValue(Math.min(System.nanoTime() - from, HIGHEST_NANOS));
        }
        return histogram.getValueAtPercentile(50);
    }

    void addTo(ResultLine line) {
        if (gets.getTotalCount() > 0) {
            line.with(ResultLine.GET_P50, gets.getValueAtPercentile(50))
                    .with(ResultLine.GET_P99, gets.getValueAtPercentile(99))
                    .with(ResultLine.GET_P999, gets.getValueAtPercentile(99.9));
        }
        if (puts.getTotalCount() > 0) {
            line.with(ResultLine.PUT_P50, puts.getValueAtPercentile(50))
                    .with(ResultLine.PUT_P99, puts.getValueAtPercentile(99));
        }
    }
}
