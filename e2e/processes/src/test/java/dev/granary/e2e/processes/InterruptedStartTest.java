package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody interrupts the start of a cluster. */
class InterruptedStartTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void endWhatIsLeft() {
        processes().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void up_interruptedBeforeAllAreReady_leavesNoProcess() throws IOException, InterruptedException {
        Process up = Commands.builder(
                        "granary",
                        Map.of(),
                        List.of(
                                "up",
                                "--dir",
                                directory.toString(),
                                "--super-peers",
                                "3",
                                "--storage-peers",
                                "3",
                                "--port",
                                "0"))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("up.txt").toFile())
                .start();
        Awaitility.await("the second super-peer")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Files.exists(directory.resolve("super-peer-1").resolve("log.txt")));
        assertThat(processes()).isNotEmpty();
        up.destroy();
        assertThat(up.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(processes()).isEmpty();
        assertThat(directory.resolve("cluster.json")).doesNotExist();
    }

    /** Returns the processes of this cluster, without the command that starts it. */
    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains(directory.toString()) && line.contains("--config"))
                        .isPresent())
                .toList();
    }
}
