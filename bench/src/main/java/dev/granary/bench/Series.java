package dev.granary.bench;

import java.util.Arrays;
import java.util.Locale;

/** The rounds of one measurement. */
final class Series {

    private final double[] rates;
    private final double[] cpuNanos;
    private int rounds;

    Series(int rounds) {
        rates = new double[rounds];
        cpuNanos = new double[rounds];
    }

    void add(Threads.Time time, long operations) {
        rates[rounds] = operations / time.seconds() / 1e6;
        cpuNanos[rounds] = time.cpuSeconds() * 1e9 / operations;
        rounds++;
    }

    /** The median of the rounds' ratios of rates. */
    double rateOver(Series other) {
        double[] ratios = new double[rounds];
        Arrays.setAll(ratios, i -> rates[i] / other.rates[i]);
        return median(ratios);
    }

    /** The same by processor time for one operation: other processes on the machine disturb it less. */
    double cpuRateOver(Series other) {
        double[] ratios = new double[rounds];
        Arrays.setAll(ratios, i -> other.cpuNanos[i] / cpuNanos[i]);
        return median(ratios);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.2f M/s (%.0f ns)", median(rates), median(cpuNanos));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
