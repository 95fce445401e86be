package dev.granary.storage;

import dev.granary.memory.MemoryStatistics;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** The gauges of a storage peer, made at each scrape from one look at its state. */
final class StorageMetrics extends Collector {

    private static final double NANOS_PER_SECOND = 1e9;

    private final StorageNode node;

    private StorageMetrics(StorageNode node) {
        this.node = node;
    }

    static void register(CollectorRegistry registry, StorageNode node) {
        new StorageMetrics(node).register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        StorageStatus status = node.status();
        MemoryStatistics memory = status.memory();
        return List.of(
                gauge("granary_storage_chunks", "Chunks that this peer holds.", memory.chunks()),
                gauge(
                        "granary_storage_payload_bytes",
                        "Bytes of the chunks that this peer holds.",
                        memory.payloadBytes()),
                gauge(
                        "granary_storage_bookkeeping_bytes",
                        "Bytes of chunk memory in use that are not payload.",
                        memory.bookkeepingBytes()),
                gauge(
                        "granary_storage_memory_used_bytes",
                        "Payload and bookkeeping in chunk memory.",
                        memory.usedBytes()),
                gauge("granary_storage_memory_capacity_bytes", "Size of the chunk memory.", memory.capacityBytes()),
                gauge(
                        "granary_storage_lease_valid",
                        "1 while this peer holds a lease and serves, otherwise 0.",
                        status.leaseRemainingNanos() > 0 ? 1 : 0),
                new GaugeMetricFamily(
                        "granary_storage_lease_remaining_seconds",
                        "What is left of this peer's lease.",
                        status.leaseRemainingNanos() / NANOS_PER_SECOND),
                new GaugeMetricFamily("granary_storage_info", "Facts about this peer.", List.of("nid", "version"))
                        .addMetric(List.of(status.nidText(), status.version()), 1));
    }

    private static MetricFamilySamples gauge(String name, String help, long value) {
        // Exact up to 2^53.
        return new GaugeMetricFamily(name, help, (double) value);
    }
}
