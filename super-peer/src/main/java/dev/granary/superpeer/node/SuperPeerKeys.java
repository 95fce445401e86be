package dev.granary.superpeer.node;

import static dev.granary.process.config.ConfigKey.withDefault;

import dev.granary.net.access.ClusterSecret;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Placement;
import dev.granary.process.MemoryPlan;
import dev.granary.process.MemoryPlanException;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeKeys;
import dev.granary.process.NodeRuntime;
import dev.granary.process.Version;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigSchema;
import dev.granary.process.config.ConfigTypes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The configuration keys of a super-peer. */
public final class SuperPeerKeys {

    private static final int DEFAULT_LISTEN_PORT = 7400;
    private static final int DEFAULT_HTTP_PORT = 7401;
    private static final int MAX_RING_SIZE = 9;

    private final NodeKeys node = NodeKeys.withOptionalSeeds(
            DEFAULT_LISTEN_PORT,
            DEFAULT_HTTP_PORT,
            "none; allowed for a super-peer that founds a cluster or has done so");
    private final ConfigKey<Integer> ringSize = withDefault(
            "ring.size",
            ConfigTypes.integer(1, MAX_RING_SIZE),
            "1",
            "Number of super-peers that a cluster is founded for. Later values have no effect: 'granary ring resize'"
                    + " changes it.");
    private final ConfigKey<Boolean> ringBootstrap = withDefault(
            "ring.bootstrap",
            ConfigTypes.bool(),
            "false",
            "Whether this super-peer founds a cluster when its data directory is empty. To be true on one super-peer.");
    private final ConfigKey<Long> leaseDuration = withDefault(
            "lease.duration",
            ConfigTypes.durationNanos(TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.MINUTES.toNanos(5)),
            "3s",
            "How long storage peers' leases are while there are three super-peers or more: so long at most a dead"
                    + " storage peer is waited for. The same on all super-peers.");
    private final ConfigKey<Long> aloneLeaseDuration = withDefault(
            "lease.duration.alone",
            ConfigTypes.durationNanos(TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.MINUTES.toNanos(5)),
            "10s",
            "How long leases are while there are fewer than three super-peers: so long one that died has to come back"
                    + " before its storage peers stop to serve. The same on all super-peers.");

    private final ConfigKey<Integer> backups = withDefault(
            "zone.backups",
            ConfigTypes.integer(0, Placement.MAX_BACKUPS),
            Integer.toString(SuperPeerConfig.DEFAULT_BACKUPS),
            "How many other storage peers hold a copy of each chunk, if there are so many. The same on all"
                    + " super-peers.");
    private final ConfigKey<Integer> lidBlock = withDefault(
            "zone.chunks.min",
            ConfigTypes.integer(1, (int) BackupZone.MAX_CHUNKS),
            Long.toString(SuperPeerConfig.DEFAULT_LID_BLOCK),
            "How many chunks a zone, the unit of logging and recovery, may have at first; the zones of a peer with many"
                    + " chunks are larger.");

    private final ConfigKey<Boolean> console = withDefault(
            "console",
            ConfigTypes.bool(),
            "false",
            "Whether the HTTP port shows the console, a page for people, under /console/. It only reads, and tells what"
                    + " /status tells.");

    /** All keys. */
    public ConfigSchema schema() {
        List<ConfigKey<?>> keys = new ArrayList<>(node.all());
        keys.add(ringSize);
        keys.add(ringBootstrap);
        keys.add(leaseDuration);
        keys.add(aloneLeaseDuration);
        keys.add(backups);
        keys.add(lidBlock);
        keys.add(console);
        return new ConfigSchema(keys);
    }

    /** The values that every kind of node has. */
    public NodeConfig nodeConfig(Config config) {
        return node.read(config, NodeRuntime.hostName());
    }

    /** Whether the HTTP port shows the console. */
    public boolean showsConsole(Config config) {
        return config.get(console);
    }

    /** What the super-peer is told. */
    public SuperPeerConfig superPeerConfig(Config config) {
        NodeConfig common = nodeConfig(config);
        return new SuperPeerConfig(
                common.name(),
                common.listen(),
                common.advertiseHost(),
                common.advertisePort(),
                common.seeds(),
                config.get(ringSize),
                config.get(ringBootstrap),
                config.get(leaseDuration),
                config.get(aloneLeaseDuration),
                config.get(lidBlock),
                config.get(backups),
                Version.current(),
                memory(),
                common.ports(),
                secret(common));
    }

    private static @Nullable ClusterSecret secret(NodeConfig common) {
        Path file = common.secretFile();
        try {
            return file == null ? null : ClusterSecret.read(file);
        } catch (IOException e) {
            throw new ConfigException(List.of(NodeKeys.SECRET_FILE + ": " + e.getMessage()));
        }
    }

    private static SuperPeerMemory memory() {
        try {
            return SuperPeerMemory.of(MemoryPlan.Limits.ofProcess());
        } catch (MemoryPlanException e) {
            throw new ConfigException(List.of(e.getMessage()));
        }
    }
}
