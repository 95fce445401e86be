package dev.granary.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.bench.stores.JsonLines;
import dev.granary.bench.stores.ServerReady;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ClusterMain} as a process. */
class ClusterMainTest {

    private static final long END_SECONDS = 60;

    @TempDir
    private Path directory = Path.of("");

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClusterMain.class.getName(),
                        directory.resolve("cluster").toString(),
                        "1",
                        Long.toString(64L << 20))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static boolean isAlive(long pid) {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        return process.isPresent() && process.get().isAlive();
    }

    @Test
    void main_toldToEndWhileItsInputEnds_leavesNoProcess() throws Exception {
        Process process = start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            ServerReady ready = JsonLines.read(lines.readLine(), ServerReady.class);
            assertThat(ready.servers()).hasSize(1).allMatch(ClusterMainTest::isAlive);
            assertThat(ready.others()).hasSize(1).allMatch(ClusterMainTest::isAlive);
            process.outputWriter(StandardCharsets.UTF_8).close();
            process.destroy();
            assertThat(process.waitFor(END_SECONDS, TimeUnit.SECONDS)).isTrue();
            // Whoever takes over orphans may need a moment to see that they have ended.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
            List<Long> all = Stream.concat(ready.servers().stream(), ready.others().stream())
                    .toList();
            while (all.stream().anyMatch(ClusterMainTest::isAlive) && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
            assertThat(all).noneMatch(ClusterMainTest::isAlive);
        } finally {
            process.destroyForcibly();
        }
    }
}
