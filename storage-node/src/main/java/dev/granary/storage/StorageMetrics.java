package dev.granary.storage;

import dev.granary.memory.MemoryStatistics;
import dev.granary.storage.door.state.KeyedFigures;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
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
        List<MetricFamilySamples> all = new ArrayList<>(keyed());
        all.addAll(List.of(
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
                        .addMetric(List.of(status.nidText(), status.version()), 1)));
        return all;
    }

    private List<MetricFamilySamples> keyed() {
        KeyedFigures now = KeyedDoor.figures(node);
        return List.of(
                gauge("granary_storage_keys", "Keys in the slot groups that this peer owns.", now.keys()),
                gauge(
                        "granary_storage_keyed_used_bytes",
                        "What these keys take, with what is beside them and their index.",
                        now.usedBytes()),
                gauge("granary_storage_keyed_limit_bytes", "What they may take at present.", now.limitBytes()),
                counter(
                        "granary_storage_evicted_keys",
                        "Keys that were removed to make way for others.",
                        now.evicted()),
                counter("granary_storage_expired_keys", "Keys that were removed because they expired.", now.expired()));
    }

    private static MetricFamilySamples counter(String name, String help, long value) {
        return new CounterMetricFamily(name, help, (double) value);
    }

    private static MetricFamilySamples gauge(String name, String help, long value) {
        // Exact up to 2^53.
        return new GaugeMetricFamily(name, help, (double) value);
    }
}
