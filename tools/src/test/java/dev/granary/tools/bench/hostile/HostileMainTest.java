package dev.granary.tools.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.tools.bench.BenchHostileCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@link HostileMain} with a real cluster, {@link GoodClients} and two of the {@link Attacks}, for a moment each. */
class HostileMainTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void measure_twoCases_hasAllFieldsAndNoErrorOfOthers() throws Exception {
        Path file = directory.resolve("result.json");
        int code = new CommandLine(new BenchHostileCommand())
                .execute("--seconds", "0.3", "--cases", "handshake-storm,client-ids", "--json", file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a result", line))
                .toList();
        assertThat(lines)
                .extracting(line -> line.path("case").asText())
                .containsExactly("alone", Attacks.STORM, Attacks.IDS);
        for (JsonNode line : lines.subList(1, 3)) {
            assertThat(line.path("goodShare").asDouble()).isPositive();
            assertThat(line.path("p99Micros").asDouble()).isPositive();
            assertThat(line.path("rssBytes").asLong()).isGreaterThan(50_000_000);
            assertThat(line.path("goodErrors").asLong()).isZero();
        }
    }
}
