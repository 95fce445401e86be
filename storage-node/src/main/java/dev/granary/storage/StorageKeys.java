package dev.granary.storage;

import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.message.Durability;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlanException;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeKeys;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigSchema;
import dev.granary.process.config.ConfigTypes;
import dev.granary.storage.replicate.ReplicationConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The configuration keys of a storage peer. */
final class StorageKeys {

    private static final int DEFAULT_LISTEN_PORT = 7500;
    private static final int DEFAULT_HTTP_PORT = 7501;
    private static final long MIN_MEMORY_BYTES = 16L << 20;
    private static final long MAX_LIMIT_BYTES = 1L << 50;

    static final NodeKeys NODE = NodeKeys.withRequiredSeeds(DEFAULT_LISTEN_PORT, DEFAULT_HTTP_PORT);

    static final ConfigKey<Long> MEMORY_SIZE = ConfigKey.withDefault(
            "memory.size",
            ConfigTypes.size(MIN_MEMORY_BYTES, ChunkMemoryConfig.MAX_CAPACITY_BYTES),
            "1Gi",
            "Memory for chunks and their bookkeeping, outside the Java heap; taken from the machine as it is used.");

    static final ConfigKey<Long> MEMORY_LIMIT = ConfigKey.optional(
            "memory.limit",
            ConfigTypes.size(MIN_MEMORY_BYTES, MAX_LIMIT_BYTES),
            "none",
            "The memory limit of the container that memory.size is meant for. When the limit is higher, or is raised"
                    + " while the process runs, memory.size grows by as much, up to memory.size.max.");

    static final ConfigKey<Long> MEMORY_SIZE_MAX = ConfigKey.optional(
            "memory.size.max",
            ConfigTypes.size(MIN_MEMORY_BYTES, ChunkMemoryConfig.MAX_CAPACITY_BYTES),
            "memory.size",
            "Up to where memory.size may grow with memory.limit. So much address space is reserved.");

    static final ConfigKey<Long> PLAN_DIRECT = ConfigKey.optional(
            "memory.plan.direct",
            ConfigTypes.size(1, MAX_LIMIT_BYTES),
            "what the JVM may allocate",
            "How much direct memory is shared out among network buffers and all that waits for others; at most"
                    + " -XX:MaxDirectMemorySize.");

    static final ConfigKey<Long> PLAN_HEAP = ConfigKey.optional(
            "memory.plan.heap",
            ConfigTypes.size(1, MAX_LIMIT_BYTES),
            "the JVM's heap",
            "How much of the Java heap is shared out among caches, indexes and what is kept for retries; at most"
                    + " -Xmx.");

    static final ConfigKey<MemoryLayout> MEMORY_LAYOUT = ConfigKey.withDefault(
            "memory.layout",
            ConfigTypes.choice(MemoryLayout.class),
            "typed",
            "How chunks are laid out: typed takes a fraction of a byte of bookkeeping for common sizes and under two"
                    + " for others; classic is the papers' form with nine.");

    static final ConfigKey<Boolean> MEMORY_HUGEPAGES = ConfigKey.withDefault(
            "memory.hugepages",
            ConfigTypes.bool(),
            "true",
            "Whether the operating system is asked for huge pages: faster, memory is taken 2 MiB at a time.");

    static final ConfigKey<Boolean> MEMORY_LOCK = ConfigKey.withDefault(
            "memory.lock",
            ConfigTypes.bool(),
            "false",
            "Whether memory that is in use is locked into RAM, so that it is never swapped out; needs a limit of locked"
                    + " memory (ulimit -l) of more than memory.size.");

    static final ConfigKey<Integer> MEMORY_NUMA_NODE = ConfigKey.withDefault(
            "memory.numa.node",
            ConfigTypes.integer(SystemMemoryConfig.ANY_NODE, SystemMemoryConfig.MAX_NODE),
            "-1",
            "The NUMA node whose memory is preferred; -1 for any.");

    static final ConfigKey<Boolean> DEFRAGMENT = ConfigKey.withDefault(
            "memory.defragment.enabled",
            ConfigTypes.bool(),
            "true",
            "Whether free memory that is scattered is put together beside running operations.");

    static final ConfigKey<Integer> DEFRAGMENT_THRESHOLD = ConfigKey.withDefault(
            "memory.defragment.threshold",
            ConfigTypes.integer(1, 100),
            "20",
            "How many percent of the memory in use must be free but scattered.");

    static final ConfigKey<Integer> DEFRAGMENT_IDLE_THRESHOLD = ConfigKey.withDefault(
            "memory.defragment.idle",
            ConfigTypes.integer(1, 100),
            "5",
            "The same while no chunk is created, deleted or resized.");

    static final ConfigKey<Long> DEFRAGMENT_INTERVAL = ConfigKey.withDefault(
            "memory.defragment.interval",
            ConfigTypes.durationNanos(TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.HOURS.toNanos(1)),
            "1s",
            "How often it is looked how much is scattered.");

    static final ConfigKey<Durability> DURABILITY = ConfigKey.withDefault(
            "durability",
            ConfigTypes.choice(Durability.class),
            "replicated",
            "When changes are answered that do not ask for another level: async at once, replicated when all backups"
                    + " have them in memory, synced when all have them on disk.");

    static final ConfigKey<Long> REPLICATION_TIMEOUT = ConfigKey.withDefault(
            "replication.timeout",
            ConfigTypes.durationNanos(TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.MILLISECONDS.toNanos(1500)),
            "300ms",
            "A backup that has not answered for this time is replaced by another one.");

    static final ConfigKey<String> MACHINE = ConfigKey.optional(
            "machine.name",
            ConfigTypes.name(),
            "none",
            "The machine that this peer runs on. Copies of a chunk are kept on different machines where peers name"
                    + " them.");

    static final ConfigKey<String> FAILURE_ZONE = ConfigKey.optional(
            "zone.name",
            ConfigTypes.name(),
            "none",
            "The failure zone that this peer runs in. Copies of a chunk are kept in different zones where peers name"
                    + " them.");

    static final ConfigKey<Path> ZONE_FILE = ConfigKey.optional(
            "zone.file",
            ConfigTypes.path(),
            "none",
            "File that has the failure zone where zone.name does not say it, or none. The start waits up to 10 s for its"
                    + " content.");

    private static final long ZONE_PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private StorageKeys() {}

    static ConfigSchema schema() {
        List<ConfigKey<?>> keys = new ArrayList<>(NODE.all());
        keys.add(MEMORY_SIZE);
        keys.add(MEMORY_LIMIT);
        keys.add(MEMORY_SIZE_MAX);
        keys.add(PLAN_DIRECT);
        keys.add(PLAN_HEAP);
        keys.add(MEMORY_LAYOUT);
        keys.add(MEMORY_HUGEPAGES);
        keys.add(MEMORY_LOCK);
        keys.add(MEMORY_NUMA_NODE);
        keys.add(DEFRAGMENT);
        keys.add(DEFRAGMENT_THRESHOLD);
        keys.add(DEFRAGMENT_IDLE_THRESHOLD);
        keys.add(DEFRAGMENT_INTERVAL);
        keys.add(DURABILITY);
        keys.add(REPLICATION_TIMEOUT);
        keys.add(MACHINE);
        keys.add(FAILURE_ZONE);
        keys.add(ZONE_FILE);
        keys.addAll(DoorKeys.all());
        keys.addAll(EvictionKeys.all());
        return new ConfigSchema(keys);
    }

    /** When the chunk memory is defragmented, or null if it is not. */
    static @Nullable CleanerConfig cleaner(Config config) {
        CleanerConfig defaults = CleanerConfig.defaults();
        return config.get(DEFRAGMENT)
                ? new CleanerConfig(
                        config.get(DEFRAGMENT_THRESHOLD) / 100.0,
                        config.get(DEFRAGMENT_IDLE_THRESHOLD) / 100.0,
                        config.get(DEFRAGMENT_INTERVAL),
                        defaults.stepBytes(),
                        defaults.pauseNanos())
                : null;
    }

    /** How large the chunk memory is at which memory limit. */
    static MemoryGrowth.Sizes sizes(Config config) {
        long sizeBytes = config.get(MEMORY_SIZE);
        return new MemoryGrowth.Sizes(
                sizeBytes,
                config.find(MEMORY_LIMIT).orElse(0L),
                Math.max(sizeBytes, config.find(MEMORY_SIZE_MAX).orElse(sizeBytes)));
    }

    static StorageNodeConfig nodeConfig(Config config, NodeConfig node) {
        MemoryGrowth.Sizes sizes = sizes(config);
        StorageNodeConfig whole = new StorageNodeConfig(
                node.name(),
                node.listen(),
                node.advertiseHost(),
                node.advertisePort(),
                node.seeds(),
                sizes.at(MemoryGrowth.limitOfProcess()),
                config.get(MEMORY_LAYOUT),
                SystemMemoryConfig.defaults()
                        .withMaxCapacityBytes(sizes.maxBytes())
                        .withHugePages(config.get(MEMORY_HUGEPAGES))
                        .withLockInMemory(config.get(MEMORY_LOCK))
                        .withNumaNode(config.get(MEMORY_NUMA_NODE)),
                ReplicationConfig.defaults()
                        .withDurability(config.get(DURABILITY))
                        .withTimeoutNanos(config.get(REPLICATION_TIMEOUT)),
                config.find(MACHINE).orElse(""),
                config.find(FAILURE_ZONE)
                        .or(() -> config.find(ZONE_FILE).map(file -> ZoneFile.read(file, ZONE_PATIENCE_MILLIS)))
                        .orElse(""));
        return whole.withMemory(memory(config))
                .withKeyed(EvictionKeys.limits(config))
                .withPorts(node.ports())
                .withSecret(secret(node));
    }

    private static @Nullable ClusterSecret secret(NodeConfig node) {
        Path file = node.secretFile();
        try {
            return file == null ? null : ClusterSecret.read(file);
        } catch (IOException e) {
            throw new ConfigException(List.of(NodeKeys.SECRET_FILE + ": " + e.getMessage()));
        }
    }

    private static StorageMemory memory(Config config) {
        Limits process = Limits.ofProcess();
        try {
            return StorageMemory.of(new Limits(
                    Math.min(process.directBytes(), config.find(PLAN_DIRECT).orElse(Long.MAX_VALUE)),
                    Math.min(process.heapBytes(), config.find(PLAN_HEAP).orElse(Long.MAX_VALUE))));
        } catch (MemoryPlanException e) {
            throw new ConfigException(List.of(e.getMessage()));
        }
    }
}
