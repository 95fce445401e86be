package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.client.ClientOptions;
import dev.granary.e2e.processes.Commands.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A cluster that 'granary up' started under a directory of its own; whatever happens, {@link #close} ends it. */
final class LocalCluster implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /**
     * Leases for tests in which only super-peers are to fail: the processes of a test, its clients and all compilers
     * share two cores, and a process may stand still for seconds now and then.
     */
    static final String PATIENT_LEASES = "lease.duration=10s";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path directory;
    private final int superPeers;
    private final int storagePeers;
    private final String memory;
    private final List<String> settings;

    private LocalCluster(Path directory, int superPeers, int storagePeers, String memory, List<String> settings) {
        this.directory = directory;
        this.memory = memory;
        this.superPeers = superPeers;
        this.storagePeers = storagePeers;
        this.settings = List.copyOf(settings);
    }

    /**
     * Starts a cluster.
     *
     * @param settings of the super-peers, such as {@code zone.backups=3}
     */
    static LocalCluster up(int superPeers, int storagePeers, String... settings) {
        try {
            return up(Files.createTempDirectory("granary-e2e"), superPeers, storagePeers, "64Mi", settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts a cluster.
     *
     * @param directory for all its files; deleted at the end
     * @param memory of each storage peer, such as {@code 2Gi}
     * @param settings of the super-peers
     */
    static LocalCluster up(Path directory, int superPeers, int storagePeers, String memory, String... settings) {
        LocalCluster cluster = new LocalCluster(directory, superPeers, storagePeers, memory, List.of(settings));
        try {
            cluster.up().ok();
            return cluster;
        } catch (RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts the nodes that do not run. */
    Outcome up() {
        List<String> command = new ArrayList<>(List.of(
                "up",
                "--dir",
                directory.toString(),
                "--super-peers",
                Integer.toString(superPeers),
                "--storage-peers",
                Integer.toString(storagePeers),
                "--memory",
                memory,
                "--port",
                "0"));
        for (String setting : settings) {
            command.add("--set");
            command.add(setting);
        }
        return Commands.granary(command.toArray(String[]::new));
    }

    /** Runs a command on this cluster. */
    Outcome granary(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(command, "--dir", directory.toString()));
        all.addAll(Arrays.asList(arguments));
        return Commands.granary(all.toArray(String[]::new));
    }

    /** Runs a command of a group such as {@code name put}. */
    Outcome grouped(String group, String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(group, command, "--dir", directory.toString()));
        all.addAll(Arrays.asList(arguments));
        return Commands.granary(all.toArray(String[]::new));
    }

    /** Returns what {@code granary status} tells a user. */
    JsonNode status() {
        return parse(granary("status", "--json").ok());
    }

    /** Returns what a super-peer says of the cluster, without the start of a JVM. */
    private JsonNode statusOfASuperPeer() {
        return parse(get("super-peer-0", "/status").body());
    }

    /** Waits until the status is as wanted, and returns it. */
    JsonNode awaitStatus(String what, java.util.function.Predicate<JsonNode> wanted) {
        return Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .until(this::statusOfASuperPeer, wanted);
    }

    static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new AssertionError("no JSON: " + json, e);
        }
    }

    /** Returns the status of a storage peer by its name. */
    static JsonNode storagePeer(JsonNode status, String name) {
        for (JsonNode peer : status.path("storagePeers")) {
            if (peer.path("name").asText().equals(name)) {
                return peer;
            }
        }
        throw new AssertionError("no storage peer " + name + " in " + status);
    }

    private JsonNode node(String name) {
        try {
            JsonNode state = parse(Files.readString(directory.resolve("cluster.json")));
            for (JsonNode node : state.path("nodes")) {
                if (node.path("name").asText().equals(name)) {
                    return node;
                }
            }
            throw new AssertionError("no node " + name + " in " + state);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the ports of all nodes' binary protocol. */
    Set<Integer> ports() {
        return Stream.concat(
                        IntStream.range(0, superPeers).mapToObj(i -> "super-peer-" + i),
                        IntStream.range(0, storagePeers).mapToObj(i -> "storage-" + i))
                .map(name -> node(name).path("port").asInt())
                .collect(Collectors.toSet());
    }

    /** Returns the port of a storage peer's door for Redis clients. */
    int redisPort(String name) {
        return node(name).path("redisPort").asInt();
    }

    /** Returns a client's default settings, with all super-peers as seeds. */
    ClientOptions clientOptions() {
        return ClientOptions.of(IntStream.range(0, superPeers)
                .mapToObj(
                        i -> "127.0.0.1:" + node("super-peer-" + i).path("port").asInt())
                .toArray(String[]::new));
    }

    /** The folder of all its files. */
    Path directory() {
        return directory;
    }

    /** Deletes what a stopped process has on its disk. */
    void loseDisk(String name) {
        deleteAll(dataDirectory(name));
    }

    Path dataDirectory(String name) {
        return directory.resolve(name).resolve("data");
    }

    HttpResponse<String> get(String name, String path) {
        return get(node(name).path("httpPort").asInt(), path);
    }

    /** Asks a process of this machine. */
    static HttpResponse<String> get(int httpPort, String path) {
        URI uri = URI.create("http://127.0.0.1:" + httpPort + path);
        try {
            return HTTP.send(
                    HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private ProcessHandle process(String name) {
        long pid = node(name).path("pid").asLong();
        Optional<ProcessHandle> handle = ProcessHandle.of(pid);
        assertThat(handle).as("the process of %s, pid %d", name, pid).isPresent();
        return handle.orElseThrow();
    }

    /** Kills a process with kill -9, and waits until it is gone. */
    void kill(String name) {
        ProcessHandle process = process(name);
        assertThat(process.destroyForcibly()).isTrue();
        awaitEnd(process);
    }

    /** Kills several processes with kill -9 as close together as possible, and waits until they are gone. */
    void killTogether(List<String> names) {
        List<ProcessHandle> victims = names.stream().map(this::process).toList();
        victims.forEach(victim -> assertThat(victim.destroyForcibly()).isTrue());
        victims.forEach(LocalCluster::awaitEnd);
    }

    /** Sends SIGTERM, and waits until the process is gone. */
    void terminate(String name) {
        ProcessHandle process = process(name);
        assertThat(process.destroy()).isTrue();
        awaitEnd(process);
    }

    /** Makes a process stand still until {@link #resume}. */
    void pause(String name) {
        signal(name, "STOP");
    }

    void resume(String name) {
        signal(name, "CONT");
    }

    long pid(String name) {
        return process(name).pid();
    }

    private void signal(String name, String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid(name)))
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static void awaitEnd(ProcessHandle process) {
        Awaitility.await("end of process " + process.pid()).atMost(PATIENCE).until(() -> !process.isAlive());
    }

    String log(String name) {
        try {
            return Files.readString(directory.resolve(name).resolve("log.txt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all processes that have this cluster's directory in their command line. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(handle -> handle.pid() != ProcessHandle.current().pid())
                .filter(handle -> handle.info().arguments().map(Arrays::asList).orElse(List.of()).stream()
                        .anyMatch(argument -> argument.startsWith(directory + "/")))
                .toList();
    }

    @Override
    public void close() {
        for (ProcessHandle process : processes()) {
            process.destroyForcibly();
            process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        }
        deleteAll(directory);
    }

    /** Deletes a folder with all that is in it. */
    static void deleteAll(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
