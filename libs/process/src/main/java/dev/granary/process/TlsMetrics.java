package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** The certificate of a node with TLS, read at each scrape. */
public final class TlsMetrics extends Collector {

    private final DoubleSupplier secondsToExpiry;
    private final DoubleSupplier lifetimeSeconds;
    private final LongSupplier taken;
    private final LongSupplier refused;

    private TlsMetrics(
            DoubleSupplier secondsToExpiry, DoubleSupplier lifetimeSeconds, LongSupplier taken, LongSupplier refused) {
        this.secondsToExpiry = secondsToExpiry;
        this.lifetimeSeconds = lifetimeSeconds;
        this.taken = taken;
        this.refused = refused;
    }

    /**
     * Registers the metrics.
     *
     * @param secondsToExpiry after how long the certificate expires; called by any thread, as the others are
     * @param lifetimeSeconds how long the certificate is valid in all
     * @param taken how often changed files were taken since the start
     * @param refused how often changed files were refused since the start
     */
    public static void register(
            CollectorRegistry registry,
            DoubleSupplier secondsToExpiry,
            DoubleSupplier lifetimeSeconds,
            LongSupplier taken,
            LongSupplier refused) {
        new TlsMetrics(secondsToExpiry, lifetimeSeconds, taken, refused).register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        CounterMetricFamily reloads = new CounterMetricFamily(
                "granary_tls_reloads",
                "Changes of the files of TLS, by what became of them: they hold for new connections (taken), or are no"
                        + " good, and the former ones go on (refused). Only with TLS.",
                List.of("outcome"));
        reloads.addMetric(List.of("refused"), (double) refused.getAsLong());
        reloads.addMetric(List.of("taken"), (double) taken.getAsLong());
        return List.of(
                new GaugeMetricFamily(
                        "granary_tls_certificate_expiry_seconds",
                        "After how long the certificate of this node expires; negative once it has. Only with TLS.",
                        secondsToExpiry.getAsDouble()),
                new GaugeMetricFamily(
                        "granary_tls_certificate_lifetime_seconds",
                        "How long the certificate of this node is valid in all. Only with TLS.",
                        lifetimeSeconds.getAsDouble()),
                reloads);
    }
}
