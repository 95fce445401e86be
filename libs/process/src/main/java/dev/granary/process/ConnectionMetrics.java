package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The connections that a node has accepted and refused at its port of the binary protocol, and what went over them and
 * over those that it has opened; read at each scrape.
 */
public final class ConnectionMetrics extends Collector {

    private final IntSupplier accepted;
    private final Supplier<Map<String, Long>> refused;

    private ConnectionMetrics(IntSupplier accepted, Supplier<Map<String, Long>> refused) {
        this.accepted = accepted;
        this.refused = refused;
    }

    /**
     * Registers the metrics.
     *
     * @param accepted how many accepted connections are open; called by any thread
     * @param refused how many were refused since the start, by reason; called by any thread
     * @param traffic what went over connections
     */
    public static void register(
            CollectorRegistry registry, IntSupplier accepted, Supplier<Map<String, Long>> refused, Traffic traffic) {
        new ConnectionMetrics(accepted, refused).register(registry);
        traffic.register(registry);
    }

    /** What went over connections since the start; called by any thread. */
    public record Traffic(
            LongSupplier receivedFrames, LongSupplier receivedBytes, LongSupplier sentFrames, LongSupplier sentBytes) {

        private void register(CollectorRegistry registry) {
            Metrics.counter(
                    registry,
                    "granary_network_received_frames",
                    "Frames of the binary protocol that were received, from nodes and clients.",
                    receivedFrames);
            Metrics.counter(
                    registry,
                    "granary_network_received_bytes",
                    "Bytes of frames of the binary protocol that were received, without what TLS adds.",
                    receivedBytes);
            Metrics.counter(
                    registry,
                    "granary_network_sent_frames",
                    "Frames of the binary protocol that were sent, to nodes and clients.",
                    sentFrames);
            Metrics.counter(
                    registry,
                    "granary_network_sent_bytes",
                    "Bytes of frames of the binary protocol that were sent, without what TLS adds.",
                    sentBytes);
        }
    }

    @Override
    public List<MetricFamilySamples> collect() {
        GaugeMetricFamily open = new GaugeMetricFamily(
                "granary_connections",
                "Accepted connections that are open, of nodes and clients.",
                accepted.getAsInt());
        CounterMetricFamily notTaken = new CounterMetricFamily(
                "granary_connections_refused",
                "Connections that were refused, or closed before their callers had greeted: because there were too many"
                        + " (all), or too many of their address (address), because no hello came in time (silent),"
                        + " because a larger frame came before it (frame), or because the handshake of TLS has failed"
                        + " (tls).",
                List.of("reason"));
        refused.get().forEach((reason, count) -> notTaken.addMetric(List.of(reason), (double) count));
        return List.of(open, notTaken);
    }
}
