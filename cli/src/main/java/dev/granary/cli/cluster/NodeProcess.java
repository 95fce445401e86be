package dev.granary.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterState.NodeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts, watches and stops one process of a local cluster. */
final class NodeProcess {

    private static final long POLL_MILLIS = 20;
    private static final int LOG_TAIL_LINES = 15;

    private final Path directory;
    private final String name;
    private final String role;
    private final Process process;

    private NodeProcess(Path directory, String name, String role, Process process) {
        this.directory = directory;
        this.name = name;
        this.role = role;
        this.process = process;
    }

    /**
     * Starts a process in its own session, so that it outlives the terminal.
     *
     * @param directory the node's directory for configuration, log and data
     * @param mainClass the main class of the process
     * @param options additional JVM options
     * @param configuration the configuration, by key
     */
    static NodeProcess start(
            Path directory,
            String name,
            String role,
            String mainClass,
            List<String> options,
            Map<String, String> configuration) {
        try {
            Files.createDirectories(directory.resolve("data"));
            Files.deleteIfExists(portsFile(directory));
            Path file = directory.resolve(role + ".properties");
            StringBuilder text = new StringBuilder("# Written by 'granary up'; changes are overwritten.\n");
            new TreeMap<>(configuration)
                    .forEach((key, value) ->
                            text.append(key).append('=').append(value).append('\n'));
            Files.writeString(file, text);
            Path log = directory.resolve("log.txt");
            ProcessBuilder builder = new ProcessBuilder(
                            NodeCommand.ofThisProgram().line(role, mainClass, options, file))
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            // The file is complete, and a node refuses keys that only the command line knows, such as GRANARY_SEEDS.
            builder.environment().keySet().removeIf(variable -> variable.startsWith("GRANARY_"));
            return new NodeProcess(directory, name, role, builder.start());
        } catch (IOException e) {
            throw new UserException(name + " cannot be started under " + directory + ": " + e.getMessage(), e);
        }
    }

    private static Path portsFile(Path directory) {
        return directory.resolve("data").resolve("ports.json");
    }

    /** Waits until the process listens. */
    NodeState awaitListening(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        Path ports = portsFile(directory);
        while (!Files.exists(ports)) {
            requireAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new UserException(
                        name + " did not start to listen within " + limit.toSeconds() + " s" + logTail());
            }
            pause();
        }
        try {
            JsonNode said = Json.parse(ports.toString(), Files.readString(ports));
            return new NodeState(
                    name,
                    role,
                    process.pid(),
                    startMillis(process.toHandle()),
                    said.path("listenPort").asInt(),
                    said.path("httpPort").asInt(),
                    said.path("redisPort").asInt());
        } catch (IOException e) {
            throw new UserException(ports + " cannot be read: " + e.getMessage(), e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void requireAlive() {
        if (!isAlive()) {
            throw new UserException(name + " stopped with exit code " + process.exitValue() + logTail());
        }
    }

    String logTail() {
        Path log = directory.resolve("log.txt");
        try {
            List<String> lines = Files.readAllLines(log);
            int from = Math.max(0, lines.size() - LOG_TAIL_LINES);
            return "; the end of " + log + ":\n  " + String.join("\n  ", lines.subList(from, lines.size()));
        } catch (IOException e) {
            return "; its log " + log + " cannot be read: " + e.getMessage();
        }
    }

    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted");
        }
    }

    private static long startMillis(ProcessHandle handle) {
        return handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** The process of a node if it still runs: pid and start time must both match. */
    static Optional<ProcessHandle> find(NodeState state) {
        return ProcessHandle.of(state.pid())
                .filter(ProcessHandle::isAlive)
                // One that has ended counts as alive until somebody reaps it, and has no command any more.
                .filter(handle -> handle.info().command().isPresent()
                        || handle.info().arguments().isPresent())
                .filter(handle -> startMillis(handle) == state.startMillis());
    }

    /**
     * Asks a process to stop, waits, and kills it when the limit has passed.
     *
     * @return whether it stopped by itself
     */
    static boolean stop(ProcessHandle handle, Duration limit) {
        handle.destroy();
        try {
            handle.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            handle.destroyForcibly();
            handle.onExit().join();
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
