package dev.granary.storage;

import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import dev.granary.process.MemoryPlan;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeTls;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigTypes;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.RedirectMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The configuration of the door for Redis clients. */
final class DoorKeys {

    private static final int MAX_CLIENTS = 1_000_000;
    private static final int MAX_PORT = 65535;

    /** That of direct memory in {@link MemoryPlan}. */
    private static final int RESERVE_DIVISOR = 8;

    /** That of the heap in {@link MemoryPlan}. */
    private static final int HEAP_RESERVE_DIVISOR = 2;

    private static final ConfigKey<Integer> PORT = ConfigKey.optional(
            "redis.port",
            ConfigTypes.port(),
            "no door",
            "Port on which clients of the Redis protocol are served, on listen.host; 0 takes any free port.");

    private static final ConfigKey<String> ADVERTISE_HOST = ConfigKey.optional(
            "redis.advertise.host",
            ConfigTypes.host(),
            "advertise.host",
            "Host under which Redis clients reach this peer: what CLUSTER SLOTS and MOVED name.");

    private static final ConfigKey<Integer> ADVERTISE_PORT = ConfigKey.optional(
            "redis.advertise.port",
            ConfigTypes.integer(1, MAX_PORT),
            "the port that is listened on",
            "Port under which Redis clients reach this peer.");

    private static final ConfigKey<Integer> ADVERTISE_PORT_OFFSET = ConfigKey.optional(
            "redis.advertise.port.offset",
            ConfigTypes.integer(0, MAX_PORT - 1),
            "0",
            "Added to redis.advertise.port, so that storage peers with one host have ports of their own: on Kubernetes"
                    + " the index of the pod.");

    private static final ConfigKey<Integer> CLIENTS = ConfigKey.withDefault(
            "redis.clients.max",
            ConfigTypes.integer(1, MAX_CLIENTS),
            Integer.toString(DoorLimits.DEFAULT_CLIENTS),
            "How many Redis clients may be connected at once.");

    private static final ConfigKey<Long> TIMEOUT = ConfigKey.optional(
            "redis.clients.timeout",
            ConfigTypes.durationNanos(TimeUnit.SECONDS.toNanos(1), TimeUnit.DAYS.toNanos(365)),
            "never",
            "After which time, in whole seconds, a Redis client is closed that asks nothing.");

    private static final ConfigKey<RedirectMode> REDIRECT = ConfigKey.withDefault(
            "redis.redirect",
            ConfigTypes.choice(RedirectMode.class),
            "aware",
            "Which Redis clients are sent to the owner of a key by MOVED: aware those that have asked for the cluster's"
                    + " slots, always all, never none. Others are served by any peer.");

    private static final ConfigKey<Path> USERS_FILE = ConfigKey.optional(
            "redis.users.file",
            ConfigTypes.path(),
            "users.file",
            "Another name for users.file. Without a secret and TLS it is for Redis clients alone.");

    private static final ConfigKey<Boolean> TLS = ConfigKey.optional(
            "redis.tls",
            ConfigTypes.bool(),
            "true when there is tls.directory, or tls.certificate",
            "Whether redis.port speaks TLS, and nothing else; false leaves it without where the other ports have it.");

    private static final ConfigKey<NodeTls.Clients> TLS_CLIENTS = ConfigKey.optional(
            "redis.tls.client.authentication",
            ConfigTypes.choice(NodeTls.Clients.class),
            "tls.client.authentication",
            "Whether Redis clients must show a certificate of the CA.");

    private DoorKeys() {}

    static List<ConfigKey<?>> all() {
        return List.of(
                PORT,
                ADVERTISE_HOST,
                ADVERTISE_PORT,
                ADVERTISE_PORT_OFFSET,
                CLIENTS,
                TIMEOUT,
                REDIRECT,
                TLS,
                TLS_CLIENTS,
                USERS_FILE);
    }

    /**
     * What requests and replies of all Redis clients may take: half of the direct memory that the memory plan leaves as
     * a reserve, up to the default.
     */
    private static long heldBytes() {
        long reserve = MemoryPlan.Limits.ofProcess().directBytes() / RESERVE_DIVISOR;
        return Math.min(DoorLimits.defaults().heldBytes(), reserve / 2);
    }

    /** The heap that values of chunks may take: a quarter of the heap that the memory plan leaves as a reserve. */
    private static long chunkBytes() {
        long reserve = MemoryPlan.Limits.ofProcess().heapBytes() / HEAP_RESERVE_DIVISOR;
        return Math.min(DoorLimits.defaults().chunkBytes(), reserve / 4);
    }

    /** Returns what the door must know; null when there is to be none. */
    static @Nullable DoorConfig read(Config config, NodeConfig node) {
        Integer port = config.find(PORT).orElse(null);
        if (port == null) {
            return null;
        }
        String host = config.find(ADVERTISE_HOST).orElse(node.advertiseHost());
        return new DoorConfig(
                new HostAddress(node.listen().host(), port),
                advertised(config, host),
                host,
                DoorLimits.defaults()
                        .withClients(config.get(CLIENTS))
                        .withIdleNanos(config.find(TIMEOUT).orElse(0L))
                        .withHeldBytes(heldBytes())
                        .withChunkBytes(chunkBytes()),
                config.get(REDIRECT),
                StorageNodeRun.polling(node.transport()),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                tls(config, node.tls()));
    }

    /** Returns the file of users; null when there is none. */
    static @Nullable Path usersFile(Config config, NodeConfig node) {
        Path ofDoor = config.find(USERS_FILE).orElse(null);
        Path ofNode = node.usersFile();
        if (ofDoor != null && ofNode != null && !ofDoor.equals(ofNode)) {
            throw ConfigException.of(
                    USERS_FILE, ofDoor, "is not users.file, which is " + ofNode, "one of the two, or both the same");
        }
        return ofNode == null ? ofDoor : ofNode;
    }

    /** Returns what Redis clients must show; null when they speak without TLS. */
    private static @Nullable ClientAuthentication tls(Config config, @Nullable NodeTls node) {
        boolean on = config.find(TLS).orElse(node != null);
        if (!on) {
            return null;
        }
        if (node == null) {
            throw ConfigException.of(TLS, true, "has no certificate", "only with tls.directory, or tls.certificate");
        }
        return StorageTls.asked(config.find(TLS_CLIENTS).orElse(node.clients()));
    }

    /** Returns what is fixed of where clients reach the door; null when its port is that which is listened on. */
    private static @Nullable HostAddress advertised(Config config, String host) {
        Integer first = config.find(ADVERTISE_PORT).orElse(null);
        Optional<Integer> offset = config.find(ADVERTISE_PORT_OFFSET);
        if (first == null) {
            if (offset.isPresent()) {
                throw ConfigException.of(
                        ADVERTISE_PORT_OFFSET, offset.get(), "is added to nothing", "only with redis.advertise.port");
            }
            return null;
        }
        int port = first + offset.orElse(0);
        if (port > MAX_PORT) {
            throw ConfigException.of(
                    ADVERTISE_PORT_OFFSET,
                    port - first,
                    "makes the port " + port,
                    "at most " + (MAX_PORT - first) + ", as redis.advertise.port is " + first);
        }
        return new HostAddress(host, port);
    }
}
