package dev.granary.e2e.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A copy of the distribution whose programs start on AOT caches, as they do in images: a start takes half the processor
 * time, and these tests are full of starts. The caches are made of short runs, which is enough for that and takes a
 * tenth of the time of 'granary train'. The copy is made when there is none of the distribution as it is now; JVMs of
 * tests that run side by side wait for the one that makes it.
 */
final class CachedDistribution {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path directory;

    private CachedDistribution(Path directory) {
        this.directory = directory;
    }

    /**
     * Returns the folder of the copy.
     *
     * @param original the folder of the distribution
     * @param copy where the copy is, or is to be
     */
    static Path of(Path original, Path copy) {
        try {
            Files.createDirectories(copy);
            try (FileChannel lock = FileChannel.open(
                            copy.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = lock.lock()) {
                Path whole = copy.resolve("whole.txt");
                String files = listing(original);
                if (!Files.exists(whole) || !Files.readString(whole).equals(files)) {
                    Files.deleteIfExists(whole);
                    copy(original.resolve("bin"), copy.resolve("bin"));
                    copy(original.resolve("lib"), copy.resolve("lib"));
                    new CachedDistribution(copy).makeCaches();
                    Files.writeString(whole, files);
                }
            }
            return copy;
        } catch (IOException e) {
            throw new AssertionError("there is no copy of the distribution", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static String listing(Path original) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String folder : List.of("bin", "lib")) {
            try (Stream<Path> files = Files.list(original.resolve(folder))) {
                for (Path file : files.sorted().toList()) {
                    all.append(file.getFileName())
                            .append(' ')
                            .append(Files.size(file))
                            .append(' ')
                            .append(Files.getLastModifiedTime(file))
                            .append('\n');
                }
            }
        }
        return all.toString();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> old = Files.list(to)) {
            for (Path file : old.toList()) {
                Files.delete(file);
            }
        }
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                // The time belongs to what a cache is compared with.
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private void makeCaches() throws IOException, InterruptedException {
        Path caches = directory.resolve("aot");
        Files.createDirectories(caches);
        Files.deleteIfExists(caches.resolve("jars"));
        Files.deleteIfExists(caches.resolve("cli.jars"));
        Process cli = start("cli-cache", Map.of());
        Path data = Files.createTempDirectory("granary-e2e-caches");
        try {
            Process superPeer = node("super-peer", data, Map.of("GRANARY_RING_BOOTSTRAP", "true"));
            String seed =
                    "127.0.0.1:" + ports(data, "super-peer").path("listenPort").asInt();
            Process storageNode = node(
                    "storage-node",
                    data,
                    Map.of("GRANARY_CLUSTER_SEEDS", seed, "GRANARY_MEMORY_SIZE", "64Mi", "GRANARY_REDIS_PORT", "0"));
            work(ports(data, "storage-node"), seed);
            end(storageNode, "storage-node");
            end(superPeer, "super-peer");
        } finally {
            LocalCluster.deleteAll(data);
        }
        assertThat(cli.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        // From here on the servers take their caches, too: with the same jars as commands take theirs.
        Files.copy(caches.resolve("cli.jars"), caches.resolve("jars"));
    }

    private Process node(String role, Path data, Map<String, String> more) throws IOException {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("GRANARY_NODE_DATA_DIR", data.resolve(role).toString());
        environment.put("GRANARY_LISTEN_HOST", "127.0.0.1");
        environment.put("GRANARY_LISTEN_PORT", "0");
        environment.put("GRANARY_ADVERTISE_HOST", "127.0.0.1");
        environment.put("GRANARY_HTTP_HOST", "127.0.0.1");
        environment.put("GRANARY_HTTP_PORT", "0");
        environment.put(
                "GRANARY_JVM_OPTIONS",
                "-Xmx192m -XX:TieredStopAtLevel=1 -XX:AOTCacheOutput=" + directory.resolve("aot/" + role + ".aot"));
        return start(role, environment);
    }

    private Process start(String program, Map<String, String> environment) throws IOException {
        return Commands.builder(directory, program, environment, List.of())
                .redirectErrorStream(true)
                .redirectOutput(log(program).toFile())
                .start();
    }

    private Path log(String program) {
        return directory.resolve(program + ".txt");
    }

    private static JsonNode ports(Path data, String role) throws IOException {
        Path file = data.resolve(role).resolve("ports.json");
        Awaitility.await(role).atMost(PATIENCE).until(() -> Files.exists(file));
        return LocalCluster.parse(Files.readString(file));
    }

    /** Has the nodes load what the first requests need. */
    private static void work(JsonNode storageNode, String seed) {
        Awaitility.await("a storage node that is ready")
                .atMost(PATIENCE)
                .until(() -> LocalCluster.get(storageNode.path("httpPort").asInt(), "/readyz")
                                .statusCode()
                        == 200);
        try (GranaryClient client = GranaryClient.connect(ClientOptions.of(seed))) {
            long cid = client.create("value".getBytes(UTF_8));
            client.put(cid, "another".getBytes(UTF_8));
            client.get(cid);
            client.names().put("name", cid);
        }
        LocalCluster.get(storageNode.path("httpPort").asInt(), "/metrics");
    }

    private void end(Process node, String role) throws IOException, InterruptedException {
        node.destroy();
        assertThat(node.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(directory.resolve("aot/" + role + ".aot"))
                .as("the cache; %s", Files.readString(log(role)))
                .isNotEmptyFile();
    }
}
