package dev.granary.storage.recover;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import java.util.concurrent.atomic.AtomicLong;

/** The metrics of recoveries. */
public final class RecoveryMetrics {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Counter zones;
    private final Counter chunks;
    private final Counter bytes;
    private final Counter replaySeconds;
    private final Gauge running;
    private final AtomicLong windowBytes = new AtomicLong();
    private final AtomicLong tableBytes = new AtomicLong();

    /** Registers the metrics. */
    public RecoveryMetrics(CollectorRegistry registry) {
        zones = Counter.build(
                        "granary_recovery_zones_total", "Zones that were to be recovered here, by what became of them.")
                .labelNames("outcome")
                .register(registry);
        for (String outcome : new String[] {"owned", "other_owner", "no_room", "failed", "damaged", "unreadable"}) {
            zones.labels(outcome);
        }
        chunks = Counter.build("granary_recovery_chunks_total", "Chunks that recoveries replayed into memory.")
                .register(registry);
        bytes = Counter.build("granary_recovery_bytes_total", "Bytes of chunks that recoveries replayed into memory.")
                .register(registry);
        replaySeconds = Counter.build(
                        "granary_recovery_replay_seconds_total", "Time that threads took to replay chunks into memory.")
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

    /** Adds to what the windows of replays and their tables take; the changes may be negative. */
    void window(long changeBytes, long changeTableBytes) {
        windowBytes.addAndGet(changeBytes);
        tableBytes.addAndGet(changeTableBytes);
    }

    /** Returns how many bytes the windows of replays take outside the heap. */
    public long windowBytes() {
        return windowBytes.get();
    }

    /** Returns how many bytes the tables of the windows take. */
    public long tableBytes() {
        return tableBytes.get();
    }

    void replayed(long chunkCount, long chunkBytes, long nanos) {
        chunks.inc((double) chunkCount);
        bytes.inc((double) chunkBytes);
        replaySeconds.inc(nanos / NANOS_PER_SECOND);
    }
}
