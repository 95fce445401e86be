package dev.granary.storage.backup;

import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.LogStatistics;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.process.EnumCounters;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The metrics of a backup's log. */
public final class BackupMetrics extends Collector {

    private static final double NANOS_PER_SECOND = 1e9;

    private final EnumCounters<CopyResult> results;
    private volatile @Nullable BackupLog log;

    /** Registers the metrics. They have no values before there is a log. */
    public BackupMetrics(CollectorRegistry registry) {
        results = EnumCounters.register(
                registry,
                "granary_backup_parts",
                "Parts of requests with changes of a zone, by what became of them.",
                "result",
                CopyResult.class);
        register(registry);
    }

    void show(BackupLog opened) {
        log = opened;
    }

    void count(CopyResult result) {
        results.add(result, 1);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        BackupLog present = log;
        if (present == null) {
            return List.of();
        }
        LogStatistics now = present.statistics();
        return List.of(
                gauge("granary_backup_copies", "Copies of others' zones on this disk.", now.zones()),
                gauge(
                        "granary_backup_live_bytes",
                        "Bytes of the logs of copies that a recovery would need.",
                        now.liveBytes()),
                gauge("granary_backup_used_bytes", "Bytes that the logs of copies take on the disk.", now.usedBytes()),
                gauge(
                        "granary_backup_pending_bytes",
                        "Bytes of changes that were taken and are not in the logs of their zones yet.",
                        now.pendingBytes()),
                counter(
                        "granary_backup_appended_batches",
                        "Batches of changes that were taken from owners.",
                        now.appendedBatches()),
                counter(
                        "granary_backup_appended_bytes",
                        "Bytes of batches of changes that were taken from owners.",
                        now.appendedBytes()),
                counter(
                        "granary_backup_written_bytes",
                        "Bytes written to logs of copies: first, sorted by zones, and again by the cleaner.",
                        now.primaryBytes() + now.secondaryBytes() + now.cleanedBytes()),
                counter(
                        "granary_backup_cleaned_bytes",
                        "Bytes written to logs of copies again by the cleaner.",
                        now.cleanedBytes()),
                counter("granary_backup_syncs", "Times that the log of copies was synced.", now.syncs()),
                new CounterMetricFamily(
                        "granary_backup_sync_seconds",
                        "Time that syncs of the log of copies took.",
                        now.syncNanos() / NANOS_PER_SECOND),
                gauge("granary_backup_damages", "Places of the logs of copies that cannot be read.", now.damages()),
                gauge("granary_backup_full", "1 while the disk for copies is full, otherwise 0.", now.full() ? 1 : 0),
                gauge(
                        "granary_backup_failed",
                        "1 once the disk for copies has failed, otherwise 0.",
                        now.failed() ? 1 : 0));
    }

    private static MetricFamilySamples gauge(String name, String help, long value) {
        return new GaugeMetricFamily(name, help, (double) value);
    }

    private static MetricFamilySamples counter(String name, String help, long value) {
        return new CounterMetricFamily(name, help, (double) value);
    }
}
