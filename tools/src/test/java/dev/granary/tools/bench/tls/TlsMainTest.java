package dev.granary.tools.bench.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.tools.bench.BenchTlsCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@link TlsMain} with two real clusters and {@link TlsClients}, for a moment, and what its command refuses. */
class TlsMainTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void measure_twoCases_hasARoundAndTheMedian() throws Exception {
        Path file = directory.resolve("result.json");
        int code = new CommandLine(new BenchTlsCommand())
                .execute(
                        "--seconds", "0.2", "--rounds", "1", "--cases", "get-16,door-get-1", "--json", file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a result", line))
                .toList();
        assertThat(lines)
                .extracting(line ->
                        line.path("case").asText() + " " + line.path("round").asText())
                .containsExactly("get-16 1", "get-16 median", "door-get-1 1", "door-get-1 median");
        for (JsonNode line : lines) {
            assertThat(line.path("plainPerSecond").asLong()).isPositive();
            assertThat(line.path("tlsPerSecond").asLong()).isPositive();
            assertThat(line.path("share").asDouble()).isPositive();
            assertThat(line.path("cpuRatio").asDouble()).isPositive();
            assertThat(line.path("tlsP99Micros").asLong()).isPositive();
        }
    }

    @Test
    void tls_optionsOutOfRange_areRefused() {
        assertThat(new CommandLine(new BenchTlsCommand()).execute("--cases", "delete-1"))
                .isEqualTo(2);
        assertThat(new CommandLine(new BenchTlsCommand()).execute("--rounds", "0"))
                .isEqualTo(2);
        for (String seconds : List.of("0", "0.05", "601", "NaN")) {
            assertThat(new CommandLine(new BenchTlsCommand()).execute("--seconds", seconds))
                    .as(seconds)
                    .isEqualTo(2);
        }
    }
}
