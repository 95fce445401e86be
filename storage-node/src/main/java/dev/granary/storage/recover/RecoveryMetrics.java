package dev.granary.storage.recover;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is told of recoveries. */
public final class RecoveryMetrics {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Counter zones;
    private final Counter chunks;
    private final Counter bytes;
    private final Counter replaySeconds;
    private final Gauge running;

    /** Registers the metrics. */
    public RecoveryMetrics(CollectorRegistry registry) {
        zones = Counter.build(
                        "granary_recovery_zones_total", "Zones that were to be recovered here, by what became of them.")
                .labelNames("outcome")
                .register(registry);
        for (String outcome : new String[] {"owned", "other_owner", "no_room", "failed", "damaged"}) {
            zones.labels(outcome);
        }
        chunks = Counter.build("granary_recovery_chunks_total", "Chunks that were replayed into memory.")
                .register(registry);
        bytes = Counter.build("granary_recovery_bytes_total", "Bytes of these chunks.")
                .register(registry);
        replaySeconds = Counter.build("granary_recovery_replay_seconds_total", "Time of one thread that this took.")
                .register(registry);
        running = Gauge.build("granary_recovery_running", "Zones that are being recovered here.")
                .register(registry);
    }

    void began() {
        running.inc();
    }

    void ended(String outcome) {
        running.dec();
        zones.labels(outcome).inc();
    }

    void replayed(long chunkCount, long chunkBytes, long nanos) {
        chunks.inc((double) chunkCount);
        bytes.inc((double) chunkBytes);
        replaySeconds.inc(nanos / NANOS_PER_SECOND);
    }
}
