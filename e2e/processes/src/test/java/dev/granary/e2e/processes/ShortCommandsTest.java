package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Short commands find their classes in the AOT cache (ADR 0375). A class that comes from a jar costs up to a
 * millisecond, and nothing else would tell that the rehearsal does no longer what commands do.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShortCommandsTest {

    /** What one super-peer more, or another order of events, may load. */
    private static final int FEW = 15;

    private final LocalCluster cluster = LocalCluster.up(1, 1);

    @TempDir
    private Path folder = Path.of("");

    @AfterAll
    void down() {
        cluster.close();
    }

    @Test
    void shortCommands_againstACluster_loadFewClassesFromJars() throws IOException {
        String cid = cluster.granary("create", "hello").ok();
        for (String command : List.of("get " + cid, "put " + cid + " x", "create y", "status", "top --once")) {
            assertThat(loadedFromJars(command)).as("from jars by %s", command).hasSizeLessThan(FEW);
        }
        assertThat(loadedFromJars("backup list"))
                .as("a command that is not rehearsed, which shows that this can tell")
                .isNotEmpty();
    }

    /** Runs a command and returns the classes that no cache has, without those that the JVM makes as it runs. */
    private List<String> loadedFromJars(String command) throws IOException {
        Path log = folder.resolve("loaded.txt");
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("--dir", cluster.directory().toString()));
        Commands.run("granary", Map.of("GRANARY_JVM_OPTIONS", "-Xlog:class+load:file=" + log), words);
        List<String> lines = Files.readAllLines(log);
        assertThat(lines).anyMatch(line -> line.contains("source: shared objects file"));
        return lines.stream().filter(line -> line.contains("source: file:")).toList();
    }
}
