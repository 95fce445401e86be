package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.granary.overlay.SlotGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis's own programs as clients, where {@code libs/resp/compare-with-redis} has unpacked them. */
class RedisToolsTest {

    private static final int OTHER = 0x4000;
    private static final long PATIENCE_SECONDS = 60;

    @TempDir
    Path folder = Path.of("");

    private static Path cache() {
        String caches = System.getenv("XDG_CACHE_HOME");
        Path root = caches == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(caches);
        return root.resolve("granary-redis").resolve("root").resolve("usr");
    }

    /** Runs a program against a door, and returns what it prints. */
    private String run(OpenDoor open, String program, String... arguments) throws Exception {
        Path executable = cache().resolve("bin").resolve(program);
        assumeThat(Files.isExecutable(executable)).isTrue();
        List<String> command = new ArrayList<>(List.of(
                executable.toString(),
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(open.address().port())));
        command.addAll(List.of(arguments));
        Path printed = folder.resolve("printed");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
        builder.environment().put("LD_LIBRARY_PATH", libraries());
        Process process = builder.start();
        process.getOutputStream().close();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(printed, StandardCharsets.ISO_8859_1);
    }

    private static String libraries() throws IOException {
        try (Stream<Path> folders = Files.list(cache().resolve("lib"))) {
            return folders.map(Path::toString).collect(Collectors.joining(":"));
        }
    }

    @Test
    void redisCli_bothProtocolsAndScan_understandsTheDoor() throws Exception {
        try (OpenDoor open = new OpenDoor()) {
            assertThat(run(open, "redis-cli", "SET", "greeting", "hello")).isEqualTo("OK\n");
            assertThat(run(open, "redis-cli", "-3", "GET", "greeting")).isEqualTo("hello\n");
            assertThat(run(open, "redis-cli", "-c", "GET", "greeting")).isEqualTo("hello\n");
            assertThat(run(open, "redis-cli", "--scan", "--pattern", "greet*")).isEqualTo("greeting\n");
            assertThat(run(open, "redis-cli", "--bigkeys")).contains("Biggest string found '\"greeting\"' has 5 bytes");
            assertThat(run(open, "redis-cli", "-3", "CLUSTER", "SHARDS")).contains("endpoint 127.0.0.1", "16383");
        }
    }

    @Test
    void redisBenchmark_pipelinesAndClusterMode_ends() throws Exception {
        // The benchmark takes no cluster of one.
        try (OpenDoor open = new OpenDoor();
                OpenDoor other = new OpenDoor()) {
            for (LonePeer peer : List.of(open.peer(), other.peer())) {
                peer.addDoor(LonePeer.NID, open.address());
                peer.addDoor(OTHER, other.address());
                for (int group = 0; group < SlotGroup.COUNT; group += 2) {
                    peer.owner(group, OTHER);
                }
            }
            other.peer().nid(OTHER);
            String[] common = {"-q", "-n", "500", "-c", "10", "-r", "1000", "-P", "8", "-t"};
            assertThat(run(open, "redis-benchmark", with(common, "ping,set,get,incr,mset,hset")))
                    .contains("SET:", "MSET (10 keys):", "requests per second")
                    .doesNotContain("rror");
            assertThat(run(open, "redis-benchmark", with(common, "set,get", "--cluster")))
                    .contains("Cluster has 2 master nodes", "GET:")
                    .doesNotContain("rror");
        }
    }

    private static String[] with(String[] some, String... more) {
        return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
    }
}
