package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Histogram;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares what is exposed with what the library's own classes expose. */
class DurationHistogramTest {

    private static final String NAME = "granary_storage_request_seconds";

    private final CollectorRegistry ours = new CollectorRegistry();
    private final CollectorRegistry theirs = new CollectorRegistry();

    @Test
    void record_boundsAndTimesBesideThem_areExposedAsByTheLibrary() throws IOException {
        compare(1_000, 12, 1e-6);
        compare(10_000, 11, 1e-5);
    }

    private void compare(long firstNanos, int bounds, double firstSeconds) throws IOException {
        ours.clear();
        theirs.clear();
        DurationHistogram own = DurationHistogram.register(ours, NAME, "Times.", firstNanos, bounds);
        Histogram library = Histogram.build(NAME, "Times.")
                .exponentialBuckets(firstSeconds, 4, bounds)
                .register(theirs);
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        long sum = 0;
        long bound = firstNanos;
        for (int i = 0; i <= bounds; i++) {
            for (long nanos : new long[] {bound - 1, bound, bound + 1, random.nextLong(bound)}) {
                own.record(nanos);
                library.observe(nanos / 1e9);
                sum += nanos;
            }
            bound *= 4;
        }
        own.record(0);
        library.observe(0);
        assertThat(text(ours)).as("seed %d", seed).isEqualTo(text(theirs));
        assertThat(ours.getSampleValue(NAME + "_sum")).isEqualTo(sum / 1e9);
    }

    /** The sum is left out, as the library adds fractions, and the time of creation, which nobody asked for. */
    private static String text(CollectorRegistry registry) throws IOException {
        StringWriter text = new StringWriter();
        TextFormat.write004(text, registry.metricFamilySamples());
        return text.toString()
                .lines()
                .filter(line -> !line.startsWith(NAME + "_sum") && !line.contains("_created"))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void record_aTimeBelowZero_isInTheFirstBucket() {
        DurationHistogram own = DurationHistogram.register(ours, NAME, "Times.", 1_000, 12);
        own.record(-5_000);
        assertThat(ours.getSampleValue(NAME + "_bucket", new String[] {"le"}, new String[] {"1.0E-6"}))
                .isEqualTo(1);
    }
}
