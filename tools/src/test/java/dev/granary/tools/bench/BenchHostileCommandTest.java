package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@link BenchHostileCommand} with a real cluster, for a moment. */
class BenchHostileCommandTest {

    @TempDir
    private Path directory;

    @Test
    void hostile_oneCase_writesTheFieldsThatItsHelpNames() throws Exception {
        Path file = directory.resolve("result.json");
        int code = new CommandLine(new BenchHostileCommand())
                .execute("--seconds", "1", "--cases", "handshake-storm", "--json", file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a result", line))
                .toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst().path("case").asText()).isEqualTo("alone");
        JsonNode storm = lines.getLast();
        assertThat(storm.path("case").asText()).isEqualTo("handshake-storm");
        assertThat(storm.path("goodShare").asDouble()).isPositive();
        assertThat(storm.path("p99Micros").asDouble()).isPositive();
        assertThat(storm.path("rssBytes").asLong()).isGreaterThan(50_000_000);
        assertThat(storm.path("goodErrors").asLong()).isZero();
    }

    @Test
    void hostile_caseThatThereIsNot_isRefusedWithTheNames() {
        assertThat(new CommandLine(new BenchHostileCommand()).execute("--cases", "polite"))
                .isEqualTo(2);
        assertThat(new CommandLine(new BenchHostileCommand()).execute("--seconds", "0"))
                .isEqualTo(2);
    }
}
