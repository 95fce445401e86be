package dev.granary.process;

import static dev.granary.process.config.ConfigKey.optional;
import static dev.granary.process.config.ConfigKey.required;
import static dev.granary.process.config.ConfigKey.withDefault;

import dev.granary.net.access.NodePorts;
import dev.granary.net.access.NodePorts.Phase;
import dev.granary.overlay.HostAddress;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigTypes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The configuration keys that both kinds of nodes have. */
public final class NodeKeys {

    /** The name of the key that names the file with the cluster's secret. */
    public static final String SECRET_FILE = "cluster.secret.file";

    /** The name of the key that names the file of users. */
    public static final String USERS_FILE = "users.file";

    /** The name of the key that turns TLS of the HTTP port on. */
    public static final String HTTP_TLS = "http.tls";

    private final ConfigKey<String> name = optional(
            "node.name", ConfigTypes.name(), "the host name", "What people call this node; need not be unique.");
    private final ConfigKey<Path> dataDir = withDefault(
            "node.data.dir",
            ConfigTypes.path(),
            "/var/lib/granary",
            "Directory of this node's durable files; its identity lies there. One process at a time may use it.");
    private final ConfigKey<String> listenHost =
            withDefault("listen.host", ConfigTypes.host(), "0.0.0.0", "Local address of the binary protocol's port.");
    private final ConfigKey<Integer> listenPort;
    private final ConfigKey<Integer> insidePort = optional(
            "inside.port",
            ConfigTypes.integer(1, 65_535),
            "nodes use listen.port",
            "Port of the binary protocol for requests of nodes, the same on all nodes; others reach it at"
                    + " advertise.host.");
    private final ConfigKey<Integer> adminPort = optional(
            "admin.port",
            ConfigTypes.integer(1, 65_535),
            "administrators use listen.port",
            "Port of the binary protocol for requests of administrators, the same on all nodes; they reach it at"
                    + " advertise.host.");
    private final ConfigKey<Phase> portsPhase = withDefault(
            "ports.phase",
            ConfigTypes.choice(Phase.class),
            "closed",
            "How far inside.port and admin.port are in use. open: they are open, and no node calls them. used: nodes call"
                    + " them. closed: listen.port takes no such requests any more. A running cluster gets its ports by a"
                    + " rolling restart for each of the three.");
    private final ConfigKey<Integer> connections = withDefault(
            "listen.connections",
            ConfigTypes.integer(16, 1_000_000),
            "16384",
            "Connections of nodes and clients that are open at once; more are closed at once.");
    private final ConfigKey<Integer> connectionsPerAddress = withDefault(
            "listen.connections.per.address",
            ConfigTypes.integer(1, 1_000_000),
            "4096",
            "Connections of one IP address that are open at once; more are closed at once.");
    private final ConfigKey<String> advertiseHost = optional(
            "advertise.host",
            ConfigTypes.host(),
            "the host name",
            "Host under which other nodes and clients reach this node.");
    private final ConfigKey<Integer> advertisePort = optional(
            "advertise.port",
            ConfigTypes.integer(1, 65_535),
            "the port on which it listens",
            "Port under which other nodes and clients reach this node.");
    private final ConfigKey<String> httpHost = withDefault(
            "http.host",
            ConfigTypes.host(),
            "0.0.0.0",
            "Local address of the HTTP port (/healthz, /readyz, /metrics, /status, /tls).");
    private final ConfigKey<Integer> httpPort;
    private final ConfigKey<Boolean> httpTls = withDefault(
            HTTP_TLS,
            ConfigTypes.bool(),
            "false",
            "Whether the HTTP port has TLS, with the files of tls.directory. Then /healthz and /readyz are for"
                    + " everybody, and the rest for certificates of nodes, operators and monitors, and for users with"
                    + " +granary.status.");
    private final ConfigKey<List<HostAddress>> seeds;
    private final ConfigKey<LogFormat> logFormat =
            withDefault("log.format", ConfigTypes.choice(LogFormat.class), "text", "How log lines are written.");
    private final ConfigKey<LogLevel> logLevel =
            withDefault("log.level", ConfigTypes.choice(LogLevel.class), "info", "Lowest level that this node logs.");
    private final ConfigKey<TransportKind> transport = withDefault(
            "transport",
            ConfigTypes.choice(TransportKind.class),
            "auto",
            "How this node talks to the network; auto takes epoll where the platform has it.");

    private final ConfigKey<Path> secretFile = optional(
            SECRET_FILE,
            ConfigTypes.path(),
            "nothing is proved, and callers are believed",
            "File with the secret that nodes and administrators of this cluster share, 16 to 1024 bytes of text; all"
                    + " nodes have the same.");

    private final ConfigKey<Path> usersFile = optional(
            USERS_FILE,
            ConfigTypes.path(),
            "clients need not log in",
            "File of the users of the cluster, in the format of Redis's ACL files, the same on all nodes; it needs "
                    + SECRET_FILE + " or tls.directory. It is read again when it changes.");

    private NodeKeys(int defaultListenPort, int defaultHttpPort, ConfigKey<List<HostAddress>> seeds) {
        this.listenPort = withDefault(
                "listen.port",
                ConfigTypes.port(),
                Integer.toString(defaultListenPort),
                "Port of the binary protocol for clients; also for nodes without inside.port, and for administrators"
                        + " without admin.port.");
        this.httpPort = withDefault("http.port", ConfigTypes.port(), Integer.toString(defaultHttpPort), "HTTP port.");
        this.seeds = seeds;
    }

    /** For a node that cannot do without seeds. */
    public static NodeKeys withRequiredSeeds(int defaultListenPort, int defaultHttpPort) {
        return new NodeKeys(
                defaultListenPort,
                defaultHttpPort,
                required(
                        "cluster.seeds",
                        ConfigTypes.addresses(),
                        "Super-peers to ask first; one that answers is enough."));
    }

    /** For a node that may be the first of its cluster. */
    public static NodeKeys withOptionalSeeds(int defaultListenPort, int defaultHttpPort, String whenUnset) {
        return new NodeKeys(
                defaultListenPort,
                defaultHttpPort,
                optional(
                        "cluster.seeds",
                        ConfigTypes.addresses(),
                        whenUnset,
                        "Super-peers to ask first; one that answers is enough."));
    }

    /** All common keys, in the order in which they are shown. */
    public List<ConfigKey<?>> all() {
        List<ConfigKey<?>> keys = new ArrayList<>(List.of(
                name,
                dataDir,
                listenHost,
                listenPort,
                insidePort,
                adminPort,
                portsPhase,
                connections,
                connectionsPerAddress,
                advertiseHost,
                advertisePort,
                httpHost,
                httpPort,
                httpTls,
                seeds,
                secretFile,
                usersFile,
                logFormat,
                logLevel,
                transport));
        keys.addAll(TlsKeys.all());
        return keys;
    }

    /**
     * Reads the values.
     *
     * @param hostName stands in for the names and hosts that are not set
     * @throws ConfigException when there are to be users, and nothing that proves who is a node; or TLS of HTTP, and no
     *     certificate; or two ports with one number
     */
    public NodeConfig read(Config config, String hostName) {
        Path users = config.find(usersFile).orElse(null);
        NodeConfig node = new NodeConfig(
                config.find(name).orElse(hostName),
                config.get(dataDir),
                new HostAddress(config.get(listenHost), config.get(listenPort)),
                ports(config),
                config.get(connections),
                config.get(connectionsPerAddress),
                config.find(advertiseHost).orElse(hostName),
                config.find(advertisePort).orElse(0),
                new HostAddress(config.get(httpHost), config.get(httpPort)),
                config.get(httpTls),
                config.find(seeds).orElse(List.of()),
                config.get(logFormat),
                config.get(logLevel),
                config.get(transport),
                config.find(secretFile).orElse(null),
                TlsKeys.read(config),
                users);
        if (users != null && !node.provesNodes()) {
            throw ConfigException.of(
                    usersFile,
                    users,
                    "would protect nothing: whoever says that it is a node would be believed",
                    "only with " + SECRET_FILE + " or tls.directory");
        }
        if (node.httpTls() && node.tls() == null) {
            throw ConfigException.of(httpTls, true, "has no certificate to show", "only with tls.directory");
        }
        return node;
    }

    private NodePorts ports(Config config) {
        int inside = config.find(insidePort).orElse(0);
        int admin = config.find(adminPort).orElse(0);
        refuseTaken(config, insidePort, List.of(listenPort, httpPort, adminPort));
        refuseTaken(config, adminPort, List.of(listenPort, httpPort));
        return new NodePorts(inside, admin, config.get(portsPhase));
    }

    private static void refuseTaken(Config config, ConfigKey<Integer> key, List<ConfigKey<Integer>> others) {
        Integer port = config.find(key).orElse(null);
        for (ConfigKey<Integer> other : others) {
            if (port != null && port.equals(config.find(other).orElse(null))) {
                throw ConfigException.of(key, port, "is " + other.name() + " as well", "a port of its own");
            }
        }
    }
}
