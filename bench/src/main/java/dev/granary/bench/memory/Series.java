package dev.granary.bench.memory;

import java.util.ArrayList;
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
        return Medians.of(rates, Double::doubleValue);
    }

    /** Processor time of one operation: other processes on the machine disturb it less than the rate. */
    double cpuNanos() {
        return Medians.of(cpuNanos, Double::doubleValue);
    }
}
