package dev.granary.storage.migrate;

import dev.granary.process.EnumCounters;
import dev.granary.process.Metrics;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** What is measured of migrations, at their sources and targets. Thread-safe. */
public final class MigrationMetrics {

    private final EnumCounters<Outcome> ended;
    private final EnumCounters<Direction> chunks;
    private final EnumCounters<Direction> bytes;
    private volatile int incoming;
    private volatile int outgoing;

    /** Where chunks go, seen from this peer. */
    enum Direction {
        IN,
        OUT
    }

    /** How a migration has ended here. */
    enum Outcome {
        /** This peer owns the chunks that came. */
        ARRIVED,
        /** What came was dropped: the source keeps the chunks. */
        DROPPED,
        /** The target owns the chunks. */
        LEFT,
        /** It was given up: this peer keeps the chunks. */
        KEPT
    }

    /** Registers the metrics. */
    public MigrationMetrics(CollectorRegistry registry) {
        ended = EnumCounters.register(
                registry,
                "granary_storage_migrations",
                "Migrations to and from this peer that have ended: arrived and left with another owner, dropped and"
                        + " kept with the former one.",
                "outcome",
                Outcome.class);
        chunks = EnumCounters.register(
                registry,
                "granary_storage_migrated_chunks",
                "Chunks that migrations brought or sent; one that changes meanwhile goes again.",
                "direction",
                Direction.class);
        bytes = EnumCounters.register(
                registry,
                "granary_storage_migrated_bytes",
                "Bytes of chunks that migrations brought or sent.",
                "direction",
                Direction.class);
        Metrics.register(registry, () -> new GaugeMetricFamily(
                        "granary_storage_migrations_running",
                        "Migrations to and from this peer that run.",
                        List.of("direction"))
                .addMetric(List.of(EnumCounters.labelOf(Direction.IN)), incoming)
                .addMetric(List.of(EnumCounters.labelOf(Direction.OUT)), outgoing));
    }

    void show(int incomingNow, int outgoingNow) {
        incoming = incomingNow;
        outgoing = outgoingNow;
    }

    void ended(Outcome outcome) {
        ended.add(outcome, 1);
    }

    void moved(Direction direction, long chunkCount, long chunkBytes) {
        chunks.add(direction, chunkCount);
        bytes.add(direction, chunkBytes);
    }
}
