package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code granary demo} as a person starts it: run to its end, with wrong options, and interrupted. */
class DemoTest {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @Test
    @Tag(Tags.LONG)
    void demo_toItsEnd_printsFiguresAndLeavesNothingBehind() throws Exception {
        Process demo = start("--json", "--seconds", "3");

        assertThat(demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).as(errors()).isZero();
        List<String> output = Files.readAllLines(directory.resolve("out"));
        JsonNode report = new ObjectMapper().readTree(output.getLast());
        assertThat(report.path("chunks").asLong()).isGreaterThan(200_000);
        assertThat(report.path("payloadBytes").asLong()).isGreaterThan(10_000_000);
        assertThat(report.path("overheadBytesPerChunk").asDouble()).isBetween(1.0, 40.0);
        assertThat(report.path("storagePeers").asInt()).isEqualTo(3);
        assertThat(report.path("superPeers").asInt()).isEqualTo(1);
        for (String figure :
                List.of("createOpsPerSecond", "getOpsPerSecond", "getP50Micros", "getP99Micros", "keySetsPerSecond")) {
            assertThat(report.path(figure).asDouble()).as(figure).isPositive();
        }
        assertThat(errors()).contains("agree").contains("libc6");
        assertNothingIsLeft();
    }

    @Test
    void demo_terminatedWhileLoading_stopsItsProcessesAndDeletesItsFiles() throws Exception {
        Process demo = start("--json");
        await().atMost(LIMIT).until(() -> errors().contains("Loading"));
        List<ProcessHandle> nodes = demo.descendants().toList();
        assertThat(nodes).hasSizeGreaterThanOrEqualTo(4);

        demo.destroy();

        assertThat(demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(nodes).noneMatch(ProcessHandle::isAlive);
        assertNothingIsLeft();
    }

    @Test
    void demo_misspeltPackage_isRefusedBeforeAnythingStarts() throws Exception {
        Process demo = start("--from", "libreofice");

        assertThat(demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).isEqualTo(1);
        assertThat(errors()).contains("'libreofice'").contains("libreoffice").doesNotContain("\tat ");
        assertNothingIsLeft();
    }

    @Test
    void demo_impossibleMemory_isRefusedWithWhatIsAllowed() throws Exception {
        Process demo = start("--memory", "2Mi");

        assertThat(demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).isEqualTo(1);
        assertThat(errors()).contains("memory.size").contains("allowed").doesNotContain("\tat ");
        assertNothingIsLeft();
    }

    private Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("demo"));
        command.addAll(List.of(options));
        Path temporary = Files.createDirectories(directory.resolve("tmp"));
        // The nodes refuse unknown keys, so variables that the command line reads must not reach them.
        Map<String, String> environment = Map.of(
                "GRANARY_JVM_OPTIONS", "-Djava.io.tmpdir=" + temporary,
                "GRANARY_SEEDS", "elsewhere:7400",
                "GRANARY_BUILD", "never");
        return Commands.builder("granary", environment, command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private String errors() throws IOException {
        return Files.readString(directory.resolve("err"));
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
            assertThat(files.filter(path -> path.getFileName().toString().startsWith("granary-demo-")))
                    .isEmpty();
        }
        assertThat(ProcessHandle.allProcesses()
                        .filter(handle -> handle.info().commandLine().orElse("").contains(directory.toString())))
                .isEmpty();
    }
}
