package dev.granary.cli.cluster;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.client.ClientOptions;
import dev.granary.net.tls.NodeTrust;
import dev.granary.net.tls.TlsException;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.NodeKeys;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of processes on this machine. Everything that it writes lies under one directory: {@code cluster.json}, the
 * cluster's secret, and for each node its configuration, its log and its data. Only one command at a time works on a
 * directory.
 */
public final class LocalCluster {

    /** The port of the first super-peer unless another one is configured. */
    public static final int DEFAULT_PORT = 7400;

    /** The port for Redis clients of the first storage peer unless another one is configured. */
    public static final int DEFAULT_REDIS_PORT = 6379;

    /** The role of processes that are super-peers. */
    static final String SUPER_PEER = "super-peer";

    /** The role of processes that are storage peers. */
    static final String STORAGE_NODE = "storage-node";

    private static final String HOST = "127.0.0.1";
    private static final String CONSOLE = "console";
    private static final String NODE_NAME = "node.name";
    private static final String LISTEN_PORT = "listen.port";
    private static final String REDIS_PORT = "redis.port";

    /** Keys of the configuration that begin so are about the doors for Redis clients, which storage peers have. */
    private static final String DOOR_KEYS = "redis.";

    private static final Set<String> OF_ALL_NODES = Set.of(NodeKeys.USERS_FILE, NodeKeys.HTTP_TLS);

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private final Path directory;
    private ClusterState state;
    private JvmOptions options = AotCaches.ofThisProgram();

    private LocalCluster(Path directory, ClusterState state) {
        this.directory = directory;
        this.state = state;
    }

    /**
     * What to start.
     *
     * @param superPeers number of super-peers
     * @param storagePeers number of storage peers
     * @param memory chunk memory of each storage peer, such as {@code 512Mi}
     * @param port port of the first super-peer, 0 for any free one
     * @param redisPort port for Redis clients of the first storage peer, 0 for any free one
     * @param settings additional configuration, by key: of the storage peers what is about their Redis doors, of the
     *     super-peers all else, and of both the file of users
     */
    public record Plan(
            int superPeers, int storagePeers, String memory, int port, int redisPort, Map<String, String> settings) {
        public Plan {
            settings = Map.copyOf(settings);
        }

        /** The same with any free port for Redis clients. */
        public Plan(int superPeers, int storagePeers, String memory, int port, Map<String, String> settings) {
            this(superPeers, storagePeers, memory, port, 0, settings);
        }

        /** A plan whose super-peers have the default settings. */
        public static Plan of(int superPeers, int storagePeers, String memory, int port) {
            return new Plan(superPeers, storagePeers, memory, port, Map.of());
        }
    }

    /**
     * The directory that commands use by default: {@code local} under {@code $GRANARY_HOME} or {@code ~/.granary}.
     */
    public static Path defaultDirectory() {
        String home = System.getenv("GRANARY_HOME");
        Path base =
                home == null || home.isBlank() ? Path.of(System.getProperty("user.home"), ".granary") : Path.of(home);
        return base.resolve("local");
    }

    /** The cluster of a directory, running or not; empty when there has never been one. */
    public static Optional<LocalCluster> find(Path directory) {
        return ClusterState.exists(directory)
                ? Optional.of(new LocalCluster(directory, ClusterState.read(directory)))
                : Optional.empty();
    }

    /**
     * Starts the processes that are not running, and waits until every process is ready.
     *
     * @param progress gets a line for each step, for people
     */
    public static LocalCluster start(Path directory, Plan plan, Consumer<String> progress) {
        return start(directory, plan, AotCaches.ofThisProgram(), progress);
    }

    /**
     * Does the same with additional JVM options in place of those for the AOT caches.
     *
     * @param options the additional options of each process
     */
    static LocalCluster start(Path directory, Plan plan, JvmOptions options, Consumer<String> progress) {
        return locked(directory, () -> {
            LocalCluster cluster = find(directory)
                    .orElseGet(() -> new LocalCluster(
                            directory,
                            new ClusterState(
                                    false,
                                    plan.superPeers(),
                                    plan.storagePeers(),
                                    plan.memory(),
                                    plan.port(),
                                    plan.redisPort(),
                                    plan.settings(),
                                    List.of())));
            cluster.adopt(plan);
            cluster.options = options;
            cluster.makeSecret();
            cluster.startMissing(progress);
            return cluster;
        });
    }

    private void adopt(Plan plan) {
        if (state.bootstrapped() && plan.superPeers() != state.superPeers()) {
            throw new UserException("the cluster under " + directory + " was made with " + state.superPeers()
                    + " super-peers, and this version cannot change that to " + plan.superPeers()
                    + ". Use another --dir, or 'granary down --wipe' first (its data is lost).");
        }
        if (plan.storagePeers()
                < state.nodes().stream()
                        .filter(LocalCluster::isStorage)
                        .filter(LocalCluster::runs)
                        .count()) {
            throw new UserException("more than " + plan.storagePeers() + " storage peers are running under " + directory
                    + ", and this version cannot take one away without losing its chunks. Use 'granary down' first.");
        }
        state = new ClusterState(
                state.bootstrapped(),
                plan.superPeers(),
                plan.storagePeers(),
                plan.memory(),
                plan.port(),
                plan.redisPort(),
                plan.settings(),
                state.nodes());
    }

    /** A cluster that has run without a secret goes on without one: its nodes would refuse each other midway. */
    private void makeSecret() {
        if (!state.bootstrapped() && state.nodes().isEmpty()) {
            try {
                SecretFile.make(directory);
            } catch (IOException e) {
                throw new UserException("the secret of the cluster cannot be written: " + e.getMessage(), e);
            }
        }
    }

    /** The file with the secret that administrators need; empty for a cluster that was made without one. */
    public Optional<Path> secretFile() {
        return SecretFile.find(directory);
    }

    private void startMissing(Consumer<String> progress) {
        List<NodeState> running = new ArrayList<>(
                state.nodes().stream().filter(LocalCluster::runs).toList());
        try (StartedProcesses started = StartedProcesses.begin()) {
            try {
                List<HostAddress> seeds = startSuperPeers(running, started, progress);
                startStoragePeers(seeds, running, started, progress);
                awaitReady(running, started, progress);
                state = state.withBootstrapped().withNodes(running);
                state.write(directory);
            } catch (RuntimeException e) {
                started.end();
                throw e;
            }
        }
    }

    private List<HostAddress> startSuperPeers(
            List<NodeState> running, StartedProcesses started, Consumer<String> progress) {
        List<HostAddress> seeds = new ArrayList<>();
        for (int i = 0; i < state.superPeers(); i++) {
            String name = "super-peer-" + i;
            Optional<NodeState> known = find(running, name);
            if (known.isEmpty()) {
                Map<String, String> configuration = common(name, SUPER_PEER);
                configuration.put(LISTEN_PORT, Integer.toString(FreePorts.usable(wantedPort(name, i))));
                progress.accept("starting " + name);
                // Nobody but this machine reaches it.
                configuration.put(CONSOLE, "true");
                configuration.putAll(settings(false));
                configuration.put("ring.size", Integer.toString(state.superPeers()));
                configuration.put("ring.bootstrap", Boolean.toString(i == 0 && !state.bootstrapped()));
                others(i, seeds)
                        .map(HostAddress::toString)
                        .reduce((left, right) -> left + "," + right)
                        .ifPresent(text -> configuration.put("cluster.seeds", text));
                known = Optional.of(
                        launch(SUPER_PEER, "dev.granary.superpeer.SuperPeerMain", configuration, LISTEN_PORT, started));
                running.add(known.get());
            }
            seeds.add(new HostAddress(HOST, known.get().port()));
        }
        return seeds;
    }

    /**
     * The addresses of the other super-peers: of those that run, and the former addresses of later ones when the
     * cluster has run before.
     */
    private Stream<HostAddress> others(int index, List<HostAddress> running) {
        Stream<HostAddress> later = IntStream.range(index + 1, state.superPeers())
                .map(i -> wantedPort("super-peer-" + i, i))
                .filter(port -> port != 0 && state.bootstrapped())
                .mapToObj(port -> new HostAddress(HOST, port));
        return Stream.concat(running.stream(), later);
    }

    /**
     * Starts the super-peers that do not run, without waiting until they are ready: they may have lost their ring.
     *
     * @throws UserException when there is no cluster under the directory
     */
    public static LocalCluster startSuperPeers(Path directory, Consumer<String> progress) {
        return locked(directory, () -> {
            LocalCluster cluster = find(directory)
                    .orElseThrow(() -> new UserException("there is no local cluster under " + directory));
            List<NodeState> running = new ArrayList<>(
                    cluster.state.nodes().stream().filter(LocalCluster::runs).toList());
            try (StartedProcesses started = StartedProcesses.begin()) {
                cluster.startSuperPeers(running, started, progress);
                cluster.state = cluster.state.withNodes(running);
                cluster.state.write(directory);
            }
            return cluster;
        });
    }

    /** Where a browser finds the consoles of the super-peers, none when the settings have put them off. */
    public List<URI> consoles() {
        String shown = Objects.requireNonNull(state.settings()).getOrDefault(CONSOLE, "true");
        return state.nodes().stream()
                .filter(node -> node.role().equals(SUPER_PEER) && shown.equals("true"))
                .map(node -> URI.create(httpScheme() + "://" + HOST + ":" + node.httpPort() + "/console/"))
                .toList();
    }

    private String httpScheme() {
        return Objects.requireNonNull(state.settings())
                        .getOrDefault(NodeKeys.HTTP_TLS, "false")
                        .equals("true")
                ? "https"
                : "http";
    }

    /** A client that the nodes believe to be one of them, so that they tell why they are not ready. */
    private HttpClient httpClient() {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2));
        if (LocalTls.exists(directory)) {
            Path files = LocalTls.directory(directory, STORAGE_NODE);
            try {
                builder.sslContext(NodeTrust.ofFiles(
                        files.resolve("tls.crt"),
                        files.resolve("tls.key"),
                        files.resolve("ca.crt"),
                        InstantSource.system().instant()));
            } catch (TlsException e) {
                throw new UserException(String.valueOf(e.getMessage()), e);
            }
        }
        return builder.build();
    }

    /** Where the storage peers serve clients of the Redis protocol. */
    public List<HostAddress> redisAddresses() {
        return state.nodes().stream()
                .filter(node -> isStorage(node) && node.redisPort() != 0)
                .map(node -> new HostAddress(HOST, node.redisPort()))
                .toList();
    }

    /** The storage peers' addresses. */
    public List<HostAddress> storagePeers() {
        return state.nodes().stream()
                .filter(LocalCluster::isStorage)
                .map(node -> new HostAddress(HOST, node.port()))
                .toList();
    }

    /** The port that a super-peer had before it died, because running storage peers look for it there. */
    private int wantedPort(String name, int index) {
        return find(state.nodes(), name).map(NodeState::port).orElse(index == 0 ? state.port() : 0);
    }

    private void startStoragePeers(
            List<HostAddress> seeds, List<NodeState> running, StartedProcesses started, Consumer<String> progress) {
        for (int i = 0; i < state.storagePeers(); i++) {
            String name = "storage-" + i;
            if (find(running, name).isEmpty()) {
                Map<String, String> configuration = common(name, STORAGE_NODE);
                configuration.put("memory.size", state.memory());
                configuration.putAll(settings(true));
                configuration.put(REDIS_PORT, Integer.toString(FreePorts.usable(wantedRedisPort(name, i))));
                progress.accept("starting " + name);
                configuration.put(
                        "cluster.seeds",
                        seeds.stream().map(HostAddress::toString).collect(Collectors.joining(",")));
                running.add(launch(
                        STORAGE_NODE, "dev.granary.storage.StorageNodeMain", configuration, REDIS_PORT, started));
            }
        }
    }

    /** The settings of the cluster that are about the doors of storage peers, or all others; and those of all nodes. */
    private Map<String, String> settings(boolean ofDoors) {
        return Objects.requireNonNull(state.settings()).entrySet().stream()
                .filter(setting -> OF_ALL_NODES.contains(setting.getKey())
                        || setting.getKey().startsWith(DOOR_KEYS) == ofDoors)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** The port that a storage peer had before it died, because clients look for it there. */
    private int wantedRedisPort(String name, int index) {
        return find(state.nodes(), name)
                .map(NodeState::redisPort)
                .filter(port -> port != 0)
                .orElse(index == 0 ? Objects.requireNonNull(state.redisPort()) : 0);
    }

    private Map<String, String> common(String name, String role) {
        Map<String, String> configuration = new HashMap<>();
        configuration.put(NODE_NAME, name);
        configuration.put(
                "node.data.dir", directory.resolve(name).resolve("data").toString());
        configuration.put("listen.host", HOST);
        configuration.put(LISTEN_PORT, "0");
        configuration.put("advertise.host", HOST);
        configuration.put("http.host", HOST);
        configuration.put("http.port", "0");
        configuration.put("log.format", "text");
        secretFile().ifPresent(file -> configuration.put("cluster.secret.file", file.toString()));
        if (LocalTls.exists(directory)) {
            configuration.put(
                    "tls.directory", LocalTls.directory(directory, role).toString());
        }
        return configuration;
    }

    /**
     * Starts a node and waits until it listens. A node whose port another process took after we had found it free is
     * started again with any free one: clusters that are started side by side all want the default port.
     *
     * @param portKey the key of its port that may be taken
     */
    private NodeState launch(
            String role,
            String mainClass,
            Map<String, String> configuration,
            String portKey,
            StartedProcesses started) {
        NodeProcess process = begin(role, mainClass, configuration, started);
        try {
            return process.awaitListening(START_LIMIT);
        } catch (UserException e) {
            int wanted = Integer.parseInt(configuration.get(portKey));
            if (process.isAlive() || FreePorts.usable(wanted) == wanted) {
                throw e;
            }
            started.forget(process);
            configuration.put(portKey, "0");
            return begin(role, mainClass, configuration, started).awaitListening(START_LIMIT);
        }
    }

    private NodeProcess begin(
            String role, String mainClass, Map<String, String> configuration, StartedProcesses started) {
        String name = Objects.requireNonNull(configuration.get(NODE_NAME));
        List<String> jvm = options.of(name, role);
        return started.add(() -> NodeProcess.start(directory.resolve(name), name, role, mainClass, jvm, configuration));
    }

    private void awaitReady(List<NodeState> nodes, StartedProcesses started, Consumer<String> progress) {
        progress.accept("waiting until all " + nodes.size() + " processes are ready");
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        try (HttpClient http = httpClient()) {
            for (NodeState node : nodes) {
                String answer = readiness(http, node);
                while (!answer.isEmpty()) {
                    started.requireAlive();
                    if (answer.contains(HttpContent.LOADING)) {
                        deadline = System.nanoTime() + START_LIMIT.toNanos();
                    }
                    if (System.nanoTime() - deadline > 0) {
                        throw new UserException(node.name() + " is not ready after " + START_LIMIT.toSeconds() + " s: "
                                + answer + "; its log is under " + directory.resolve(node.name()));
                    }
                    NodeProcess.pause();
                    answer = readiness(http, node);
                }
            }
        }
    }

    /** Empty when the node is ready, otherwise why not. */
    private String readiness(HttpClient http, NodeState node) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(httpScheme() + "://" + HOST + ":" + node.httpPort() + "/readyz"))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200 ? "" : response.body().strip();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted");
        }
    }

    /**
     * Stops all processes, storage peers first.
     *
     * @return number of processes that ran
     */
    public int stop(Consumer<String> progress) {
        return stop(progress, STOP_LIMIT);
    }

    /**
     * Does the same with more patience or less.
     *
     * @param limit how long each process may take before it is killed
     */
    public int stop(Consumer<String> progress, Duration limit) {
        return locked(directory, () -> {
            List<NodeState> running =
                    state.nodes().stream().filter(LocalCluster::runs).toList();
            stopAll(running.stream().filter(LocalCluster::isStorage).toList(), progress, limit);
            stopAll(running.stream().filter(node -> !isStorage(node)).toList(), progress, limit);
            state = state.withNodes(List.of());
            state.write(directory);
            return running.size();
        });
    }

    private static void stopAll(List<NodeState> nodes, Consumer<String> progress, Duration limit) {
        for (NodeState node : nodes) {
            progress.accept("stopping " + node.name());
            NodeProcess.find(node).ifPresent(handle -> {
                if (!NodeProcess.stop(handle, limit)) {
                    progress.accept(node.name() + " did not stop within " + limit.toSeconds() + " s and was killed");
                }
            });
        }
    }

    /** Deletes the directory of a stopped cluster. */
    public static void wipe(Path directory) throws IOException {
        if (ClusterState.exists(directory)) {
            Directories.delete(directory);
        }
    }

    public Path directory() {
        return directory;
    }

    public ClusterState state() {
        return state;
    }

    /** Whether all processes of the cluster are running. */
    public boolean isRunning() {
        return !state.nodes().isEmpty() && state.nodes().stream().allMatch(LocalCluster::runs);
    }

    /** The nodes whose process does not run any more. */
    public List<NodeState> stoppedNodes() {
        return state.nodes().stream().filter(node -> !runs(node)).toList();
    }

    /** The super-peers' addresses. */
    public List<HostAddress> seeds() {
        return state.nodes().stream()
                .filter(node -> !isStorage(node))
                .map(node -> new HostAddress(HOST, node.port()))
                .toList();
    }

    /** The super-peers' addresses as text, as a client takes them. */
    public List<String> addresses() {
        return seeds().stream().map(HostAddress::toString).toList();
    }

    /** The options of a client that may administer the cluster, and ask for its status. */
    public ClientOptions administratorOptions() {
        return ClientOptions.builder()
                .addresses(addresses())
                .clusterSecretFile(secretFile().orElse(null))
                .build();
    }

    private static Optional<NodeState> find(List<NodeState> nodes, String name) {
        return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
    }

    private static boolean isStorage(NodeState node) {
        return node.role().equals(STORAGE_NODE);
    }

    private static boolean runs(NodeState node) {
        return NodeProcess.find(node).isPresent();
    }

    /** Work on the directory under its lock. */
    private interface Work<T> {
        T run();
    }

    private static <T> T locked(Path directory, Work<T> work) {
        try {
            Files.createDirectories(directory);
            try (FileChannel channel = FileChannel.open(
                            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = tryLock(channel)) {
                if (lock == null) {
                    throw new UserException("another granary command is starting or stopping the cluster under "
                            + directory + "; wait for it to end");
                }
                return work.run();
            }
        } catch (IOException e) {
            throw new UserException(directory + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            throw new UserException("this process already works on the cluster's directory", e);
        }
    }
}
