package dev.granary.storage;

import dev.granary.process.Metrics;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** The metrics of a storage peer's process that belong to no part of its node. Thread-safe. */
final class ProcessMetrics {

    private final Counter cleanerFailures;

    /** A number of the volume, asked for at each scrape. */
    @FunctionalInterface
    private interface VolumeBytes {
        long get() throws IOException;
    }

    /**
     * Registers them.
     *
     * @param dataDirectory an existing directory on the volume with the logs
     * @param endedBefore how many runs of this process ended before this one
     */
    ProcessMetrics(CollectorRegistry registry, Path dataDirectory, int endedBefore) throws IOException {
        Counter.build(
                        "granary_storage_incarnations_ended_total",
                        "Incarnations of this process whose place others took.")
                .register(registry)
                .inc(endedBefore);
        cleanerFailures = Counter.build(
                        "granary_storage_cleaner_failures_total",
                        "Failures of the thread that puts free chunk memory together.")
                .register(registry);
        FileStore volume = Files.getFileStore(dataDirectory);
        gauge(
                registry,
                "granary_storage_volume_size_bytes",
                "Size of the volume with the data directory, on which the logs of copies are.",
                volume::getTotalSpace);
        gauge(
                registry,
                "granary_storage_volume_free_bytes",
                "What this process may still write on the volume with the data directory.",
                volume::getUsableSpace);
    }

    private static void gauge(CollectorRegistry registry, String name, String help, VolumeBytes bytes) {
        Metrics.gauge(registry, name, help, () -> {
            try {
                return (double) bytes.get();
            } catch (IOException e) {
                // Of a volume that does not answer the log tells more; the other metrics are shown all the same.
                return Double.NaN;
            }
        });
    }

    void cleanerFailed() {
        cleanerFailures.inc();
    }
}
