package dev.granary.tools.bench.locality;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.tools.bench.BenchLocalityCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@link LocalityMain} with a real cluster, {@link StoredObjects} and {@link Reading}, for a moment. */
class LocalityMainTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void measure_twoPeers_hasALineForEachWayAndPlace() throws Exception {
        Path file = directory.resolve("result.json");
        int code = new CommandLine(new BenchLocalityCommand())
                .execute(
                        "--peers",
                        "2",
                        "--trees",
                        "20",
                        "--threads",
                        "2",
                        "--millis",
                        "20",
                        "--rounds",
                        "1",
                        "--graphs",
                        "trees,packages",
                        "--json",
                        file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a result", line))
                .toList();
        assertThat(lines)
                .extracting(line -> line.path("graph").asText() + " "
                        + line.path("case").asText() + " " + line.path("place").asText())
                .containsExactly(
                        "trees one-by-one anywhere",
                        "trees reachable anywhere",
                        "trees known anywhere",
                        "trees one-by-one near",
                        "trees reachable near",
                        "trees known near",
                        "packages one-by-one anywhere",
                        "packages reachable anywhere",
                        "packages known anywhere",
                        "packages one-by-one near",
                        "packages reachable near",
                        "packages known near");
        for (JsonNode line : lines) {
            if (line.path("graph").asText().equals("trees")) {
                boolean near = line.path("place").asText().equals("near");
                assertThat(line.path("peersPerTree").asDouble()).isEqualTo(near ? 1 : 2);
                assertThat(line.path("objectsPerTree").asDouble()).isEqualTo(ObjectGraph.TREE);
            } else {
                assertThat(line.path("objectsPerTree").asDouble()).isGreaterThan(2);
            }
            assertThat(line.path("treesPerSecond").asDouble()).isPositive();
            assertThat(line.path("objectsPerSecond").asLong()).isPositive();
            assertThat(line.path("p99Micros").asDouble()).isPositive();
            assertThat(line.path("cpuMicrosPerTree").isNumber()).isTrue();
        }
    }

    @Test
    void locality_optionsOutOfRange_areRefused() {
        for (String option : List.of("--peers", "--trees", "--threads", "--millis", "--rounds")) {
            assertThat(new CommandLine(new BenchLocalityCommand()).execute(option, "0"))
                    .as(option)
                    .isEqualTo(2);
        }
    }

    @Test
    void locality_graphThatThereIsNot_isRefused() {
        assertThat(new CommandLine(new BenchLocalityCommand()).execute("--graphs", "trees,grid"))
                .isEqualTo(2);
    }
}
