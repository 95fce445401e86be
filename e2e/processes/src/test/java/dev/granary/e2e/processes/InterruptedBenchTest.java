package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody interrupts a benchmark that has gigabytes on the disk by then. */
class InterruptedBenchTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** An option with which no AOT caches are used; making them would take a minute. */
    private static final Map<String, String> WITHOUT_CACHES = Map.of("JAVA_TOOL_OPTIONS", "-Xshare:auto");

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void endWhatIsLeft() {
        processes().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void benchRecovery_interrupted_leavesNoFileAndNoProcess() throws IOException, InterruptedException {
        interrupt("replicated-put");
    }

    @ParameterizedTest
    @ValueSource(strings = {"recovery", "log-append"})
    @Tag(Tags.LONG)
    void benchRecovery_interruptedInOtherCases_leavesNoFileAndNoProcess(String measured)
            throws IOException, InterruptedException {
        interrupt(measured);
    }

    private void interrupt(String measured) throws IOException, InterruptedException {
        Path work = Files.createDirectory(directory.resolve("work"));
        Path out = directory.resolve("out.txt");
        List<String> arguments =
                List.of("bench", "recovery", "--cases", measured, "--chunks", "100k", "--directory", work.toString());
        Process bench = Commands.builder("granary", WITHOUT_CACHES, arguments)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        Awaitility.await("files")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> fileCount(work) > 3);
        bench.destroy();
        assertThat(bench.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(processes()).isEmpty();
        assertThat(work).isEmptyDirectory();
        assertThat(out).content().doesNotContain("Exception");
    }

    private static long fileCount(Path work) throws IOException {
        try (Stream<Path> files = Files.walk(work)) {
            return files.count();
        }
    }

    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains(directory.toString()))
                        .isPresent())
                .toList();
    }
}
