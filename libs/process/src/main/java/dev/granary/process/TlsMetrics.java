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
    private final Revoked revoked;
    private final LongSupplier taken;
    private final LongSupplier refused;

    /**
     * The revocation lists of a node; called by any thread.
     *
     * @param certificates how many certificates are revoked
     * @param secondsToNext after how long a new list is due, NaN when none says so
     */
    public record Revoked(LongSupplier certificates, DoubleSupplier secondsToNext) {}

    private TlsMetrics(
            DoubleSupplier secondsToExpiry,
            DoubleSupplier lifetimeSeconds,
            Revoked revoked,
            LongSupplier taken,
            LongSupplier refused) {
        this.secondsToExpiry = secondsToExpiry;
        this.lifetimeSeconds = lifetimeSeconds;
        this.revoked = revoked;
        this.taken = taken;
        this.refused = refused;
    }

    /**
     * Registers the metrics.
     *
     * @param secondsToExpiry after how long the certificate expires; called by any thread, as the others are
     * @param lifetimeSeconds how long the certificate is valid in all
     * @param revoked its revocation lists
     * @param taken how often changed files were taken since the start
     * @param refused how often changed files were refused since the start
     */
    public static void register(
            CollectorRegistry registry,
            DoubleSupplier secondsToExpiry,
            DoubleSupplier lifetimeSeconds,
            Revoked revoked,
            LongSupplier taken,
            LongSupplier refused) {
        new TlsMetrics(secondsToExpiry, lifetimeSeconds, revoked, taken, refused).register(registry);
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
                new GaugeMetricFamily(
                        "granary_tls_revoked_certificates",
                        "How many certificates the revocation lists of this node name. Only with TLS.",
                        (double) revoked.certificates().getAsLong()),
                new GaugeMetricFamily(
                        "granary_tls_revocation_update_seconds",
                        "After how long a new revocation list is due; negative once it is late, NaN without lists. Only"
                                + " with TLS.",
                        revoked.secondsToNext().getAsDouble()),
                reloads);
    }
}
