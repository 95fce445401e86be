package dev.granary.storage.replicate;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** What is measured of replication. Thread-safe. */
public final class ReplicationMetrics {

    private static final double NANOS_PER_SECOND = 1e9;

    /** From 10 microseconds to 10 seconds, each bound four times the one before. */
    private static final int BUCKETS = 11;

    private final Histogram.Child seconds;
    private final Counter.Child sentBytes;
    private final Counter.Child requests;
    private final Counter.Child refused;
    private final Counter.Child filled;
    private final Gauge.Child pendingBytes;
    private final Gauge.Child belowFloor;
    private final Gauge.Child heldBytes;

    /** Registers everything. */
    public ReplicationMetrics(CollectorRegistry registry) {
        seconds = Histogram.build(
                        "granary_storage_replication_seconds",
                        "Time from a request to a backup to its answer, or until it was given up.")
                .exponentialBuckets(1e-5, 4, BUCKETS)
                .register(registry)
                .labels();
        sentBytes = Counter.build("granary_storage_replication_bytes_total", "Bytes of changes sent to backups.")
                .register(registry)
                .labels();
        requests = Counter.build("granary_storage_replication_requests_total", "Requests to backups.")
                .register(registry)
                .labels();
        refused = Counter.build(
                        "granary_storage_refused_below_floor_total",
                        "Requests refused because a zone has too few backups, or its backups do not keep up.")
                .register(registry)
                .labels();
        filled = Counter.build("granary_storage_copies_filled_total", "Copies on backups that were filled.")
                .register(registry)
                .labels();
        pendingBytes = Gauge.build(
                        "granary_storage_replication_pending_bytes", "Bytes of changes that not all backups have yet.")
                .register(registry)
                .labels();
        heldBytes = Gauge.build(
                        "granary_storage_held_reply_bytes",
                        "Bytes of answers that wait until all backups have changes.")
                .register(registry)
                .labels();
        belowFloor = Gauge.build(
                        "granary_storage_zones_below_floor", "Owned zones with too few backups to take writes.")
                .register(registry)
                .labels();
    }

    void showHeld(long bytes) {
        heldBytes.set((double) bytes);
    }

    void sent(long bytes) {
        sentBytes.inc((double) bytes);
        requests.inc();
    }

    void ended(long nanos) {
        seconds.observe(nanos / NANOS_PER_SECOND);
    }

    /** A request was refused because of a zone's backups. */
    public void refused() {
        refused.inc();
    }

    void filled() {
        filled.inc();
    }

    void show(long bytesPending, int zonesBelowFloor) {
        pendingBytes.set((double) bytesPending);
        belowFloor.set(zonesBelowFloor);
    }
}
