package dev.granary.tools.bench.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.tools.bench.BenchMetricsCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@link MetricsMain} with a real cluster for a moment, and what its command refuses. */
class MetricsMainTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void measure_oneRound_hasItsShareAndTheMedian() throws Exception {
        Path file = directory.resolve("result.json");
        int code = new CommandLine(new BenchMetricsCommand())
                .execute("--seconds", "0.5", "--rounds", "1", "--json", file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a result", line))
                .toList();
        assertThat(lines).extracting(line -> line.path("round").asText()).containsExactly("1", "median");
        for (JsonNode line : lines) {
            assertThat(line.path("getsPerSecond").asLong()).isPositive();
            assertThat(line.path("recordNanos").asDouble()).isPositive();
            assertThat(line.path("sharePercent").asDouble()).isBetween(0.0, 100.0);
        }
    }

    @Test
    void metrics_optionsOutOfRange_areRefused() {
        assertThat(new CommandLine(new BenchMetricsCommand()).execute("--rounds", "0"))
                .isEqualTo(2);
        assertThat(new CommandLine(new BenchMetricsCommand()).execute("--seconds", "601"))
                .isEqualTo(2);
    }
}
