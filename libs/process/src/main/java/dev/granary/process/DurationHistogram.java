package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Times in buckets, each bound four times the one before, as a histogram of Prometheus has them. Recording a time adds
 * to two counters, walks no buckets and allocates nothing. Thread-safe.
 */
public final class DurationHistogram {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int FACTOR = 4;

    private final long firstNanos;

    /** How many times are in each bucket, without those of the buckets before; the last one has no bound. */
    private final LongAdder[] counts;

    private final LongAdder sumNanos = new LongAdder();

    /**
     * @param firstNanos the first bound
     * @param bounds how many bounds there are
     */
    public DurationHistogram(long firstNanos, int bounds) {
        this.firstNanos = firstNanos;
        this.counts = new LongAdder[bounds + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Registers a histogram without labels. */
    public static DurationHistogram register(
            CollectorRegistry registry, String name, String help, long firstNanos, int bounds) {
        DurationHistogram histogram = new DurationHistogram(firstNanos, bounds);
        Metrics.register(
                registry,
                () -> new MetricFamilySamples(
                        name, Collector.Type.HISTOGRAM, help, histogram.samples(name, List.of(), List.of())));
        return histogram;
    }

    /** Adds a time. */
    public void record(long nanos) {
        counts[bucket(nanos)].increment();
        sumNanos.add(nanos);
    }

    /** With q whole first bounds below the time, its bound is the first power of 4 above q: half of q's bits. */
    private int bucket(long nanos) {
        long wholes = Math.max(0, nanos - 1) / firstNanos;
        return Math.min((Long.SIZE + 1 - Long.numberOfLeadingZeros(wholes)) >>> 1, counts.length - 1);
    }

    /** Returns what a scrape shows: the buckets, their count and the sum of all times. */
    public List<Sample> samples(String name, List<String> labels, List<String> values) {
        List<String> bucketLabels = with(labels, "le");
        List<Sample> samples = new ArrayList<>();
        long count = 0;
        double boundSeconds = firstNanos / NANOS_PER_SECOND;
        for (int i = 0; i < counts.length; i++) {
            count += counts[i].sum();
            String bound = i == counts.length - 1 ? "+Inf" : Collector.doubleToGoString(boundSeconds);
            samples.add(new Sample(name + "_bucket", bucketLabels, with(values, bound), (double) count));
            boundSeconds *= FACTOR;
        }
        samples.add(new Sample(name + "_count", labels, values, (double) count));
        samples.add(new Sample(name + "_sum", labels, values, sumNanos.sum() / NANOS_PER_SECOND));
        return samples;
    }

    private static List<String> with(List<String> some, String last) {
        List<String> all = new ArrayList<>(some);
        all.add(last);
        return all;
    }
}
