package dev.granary.storage.replicate;

import dev.granary.process.DurationHistogram;
import dev.granary.process.Metrics;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.atomic.LongAdder;

/** What is measured of replication, in counters that each scrape reads. Thread-safe. */
public final class ReplicationMetrics {

    /** From 10 microseconds to 10 seconds. */
    private static final long FIRST_NANOS = 10_000;

    private static final int BOUNDS = 11;

    private final DurationHistogram seconds;
    private final LongAdder sentBytes;
    private final LongAdder requests;
    private final LongAdder refused;
    private final LongAdder filled;
    private volatile long pendingBytes;
    private volatile int zonesBelowFloor;
    private volatile long heldBytes;

    /** Registers everything. */
    public ReplicationMetrics(CollectorRegistry registry) {
        seconds = DurationHistogram.register(
                registry,
                "granary_storage_replication_seconds",
                "Time from a request to a backup to its answer, or until it was given up.",
                FIRST_NANOS,
                BOUNDS);
        sentBytes = Metrics.counter(registry, "granary_storage_replication_bytes", "Bytes of changes sent to backups.");
        requests = Metrics.counter(registry, "granary_storage_replication_requests", "Requests to backups.");
        refused = Metrics.counter(
                registry,
                "granary_storage_refused_below_floor",
                "Requests refused because a zone has too few backups, or its backups do not keep up.");
        filled = Metrics.counter(registry, "granary_storage_copies_filled", "Copies on backups that were filled.");
        Metrics.gauge(
                registry,
                "granary_storage_replication_pending_bytes",
                "Bytes of changes that not all backups have yet.",
                () -> (double) pendingBytes);
        Metrics.gauge(
                registry,
                "granary_storage_held_reply_bytes",
                "Bytes of answers that wait until all backups have changes.",
                () -> (double) heldBytes);
        Metrics.gauge(
                registry,
                "granary_storage_zones_below_floor",
                "Owned zones with too few backups to take writes.",
                () -> zonesBelowFloor);
    }

    void showHeld(long bytes) {
        heldBytes = bytes;
    }

    void sent(long bytes) {
        sentBytes.add(bytes);
        requests.increment();
    }

    void ended(long nanos) {
        seconds.record(nanos);
    }

    /** A request was refused because of a zone's backups. */
    public void refused() {
        refused.increment();
    }

    void filled() {
        filled.increment();
    }

    void show(long bytesPending, int belowFloor) {
        pendingBytes = bytesPending;
        zonesBelowFloor = belowFloor;
    }
}
