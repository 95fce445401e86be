package dev.granary.bench.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The rounds of one measurement; their medians are the result. */
final class Series {

    private final List<Double> rates = new ArrayList<>();
    private final List<Double> cpuNanos = new ArrayList<>();

    void add(Threads.Time time, long operations) {
        rates.add(operations / time.seconds());
        cpuNanos.add(time.cpuSeconds() * 1e9 / operations);
    }

    /** Operations per second of all threads together. */
    double rate() {
        return median(rates);
    }

    /** Processor time of one operation: other processes on the machine disturb it less than the rate. */
    double cpuNanos() {
        return median(cpuNanos);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }
}
