package dev.granary.cli.command;

import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.LocalTls;
import dev.granary.process.NodeKeys;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts a local cluster. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Start a local cluster: super-peers and storage peers as processes of their own.",
            "They keep running until 'granary down'. Called again, it starts what is missing.",
        })
public final class UpCommand implements Callable<Integer> {

    private static final int MAX_SUPER_PEERS = 9;
    private static final int MAX_STORAGE_PEERS = 64;

    @Option(
            names = "--super-peers",
            paramLabel = "N",
            description = "Number of super-peers, 1 to 9 (default: 1, or what the cluster has).")
    private @Nullable Integer superPeers;

    @Option(
            names = "--storage-peers",
            paramLabel = "N",
            description = "Number of storage peers, 1 to 64 (default: 3, or what the cluster has).")
    private @Nullable Integer storagePeers;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Chunk memory of each storage peer, such as 512Mi or 2Gi (default: 512Mi). Pages are taken from the system when they are used.")
    private @Nullable String memory;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description =
                    "Port of the first super-peer, 0 for any (default: 7400; another one is taken when it is in use).")
    private @Nullable Integer port;

    @Option(
            names = "--redis-port",
            paramLabel = "PORT",
            description =
                    "Port for Redis clients of the first storage peer, 0 for any (default: 6379, or what the cluster was started with; another one is taken when it is in use).")
    private @Nullable Integer redisPort;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the cluster's files go (default: ~/.granary/local).")
    private @Nullable Path directory;

    @Option(
            names = "--tls",
            description = {
                "Make a CA and certificates, and let all ports but those of HTTP speak TLS.",
                "Only when the cluster is new; a cluster keeps what it was started with."
            })
    private boolean tls;

    @Option(
            names = "--users",
            paramLabel = "FILE",
            description = {
                "File of the users of the cluster, in the format of Redis's ACL files, for all nodes that are started.",
                "The nodes read it again when it changes. Commands are the user of --user, or have the cluster's secret."
            })
    private @Nullable Path users;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = {
                "A setting of the super-peers, such as zone.backups=3, or of the doors of storage peers, such as"
                        + " redis.maxmemory=1Gi, or http.tls=true for all nodes with --tls; may be given again.",
                "Kept for those that are started later."
            })
    private @Nullable Map<String, String> settings;

    @Override
    public Integer call() {
        Path where = (directory == null ? LocalCluster.defaultDirectory() : directory).toAbsolutePath();
        LocalCluster.Plan plan = plan(where);
        requireRange("--super-peers", plan.superPeers(), 1, MAX_SUPER_PEERS);
        requireRange("--storage-peers", plan.storagePeers(), 1, MAX_STORAGE_PEERS);
        requireRange("--port", plan.port(), 0, 65535);
        requireRange("--redis-port", plan.redisPort(), 0, 65535);
        if (tls && !LocalTls.exists(where)) {
            if (LocalCluster.find(where).isPresent()) {
                throw new UserException(
                        "the cluster under " + where + " was made without TLS, and --tls does not change"
                                + " that. Use another --dir, or 'granary down --wipe' first (its data is lost).");
            }
            System.err.println("  making a CA and certificates");
            LocalTls.make(where);
        }
        LocalCluster cluster = LocalCluster.start(where, plan, step -> System.err.println("  " + step));
        System.out.println("A cluster of " + plan.superPeers()
                + (plan.superPeers() == 1 ? " super-peer and " : " super-peers and ") + plan.storagePeers()
                + " storage peers of " + plan.memory() + " is running.");
        System.out.println("  super-peers: "
                + cluster.seeds().stream().map(Object::toString).collect(Collectors.joining(",")));
        cluster.redisAddresses().stream().limit(1).forEach(door -> System.out.println("redis: " + door));
        System.out.println("  files:       " + where);
        if (LocalTls.exists(where)) {
            System.out.println("  certificate: " + LocalTls.clientDirectory(where) + " (tls.crt, tls.key, ca.crt)");
        }
        cluster.consoles().stream().limit(1).forEach(console -> System.out.println("  console:     " + console));
        System.out.println(
                "Next: granary create \"hello\", granary load debian-packages, granary status, granary down");
        return 0;
    }

    private LocalCluster.Plan plan(Path where) {
        var known = LocalCluster.find(where).map(LocalCluster::state);
        return new LocalCluster.Plan(
                superPeers != null
                        ? superPeers
                        : known.map(state -> state.superPeers()).orElse(1),
                storagePeers != null
                        ? storagePeers
                        : known.map(state -> state.storagePeers()).orElse(3),
                memory != null ? memory : known.map(state -> state.memory()).orElse("512Mi"),
                port != null ? port : known.map(state -> state.port()).orElse(LocalCluster.DEFAULT_PORT),
                redisPort != null
                        ? redisPort
                        : known.map(state -> state.redisPort()).orElse(LocalCluster.DEFAULT_REDIS_PORT),
                settings(Objects.requireNonNullElse(
                        known.map(state -> state.settings()).orElse(null), Map.of())));
    }

    /** A cluster with users keeps them: without the file, nodes that are started later would let everybody in. */
    private Map<String, String> settings(Map<String, String> known) {
        Map<String, String> all = new HashMap<>(settings != null ? settings : known);
        if (users != null) {
            all.put(NodeKeys.USERS_FILE, users.toAbsolutePath().toString());
        } else if (known.containsKey(NodeKeys.USERS_FILE)) {
            all.putIfAbsent(NodeKeys.USERS_FILE, known.get(NodeKeys.USERS_FILE));
        }
        return all;
    }

    private static void requireRange(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new UserException(option + " is " + Sizes.count(value) + "; allowed are " + min + " to " + max);
        }
    }
}
