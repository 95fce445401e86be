package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.GranaryCommand;
import dev.granary.cli.base.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link BenchNetworkCommand} with clients of ours, which {@code NetworkExperiment} starts and tells what to measure
 * by {@code ClientProcess}. Jedis and Lettuce need a redis-server and the libraries of bench/compare: {@code
 * ./granary bench network} measures them.
 */
class BenchNetworkCommandTest {

    private static final int USAGE = 2;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void network_clientsOfOurs_writesALineForEachClientAndCase() throws IOException {
        Path file = directory.resolve("network.json");
        int code = GranaryCommand.execute(
                "bench",
                "network",
                "--objects",
                "2_000",
                "--clients",
                "granary,granary-futures",
                "--threads",
                "2",
                "--batch",
                "100",
                "--batch-threads",
                "1",
                "--millis",
                "100",
                "--rounds",
                "2",
                "--directory",
                directory.resolve("work").toString(),
                "--json",
                file.toString());
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a line", line))
                .toList();
        assertThat(code).isZero();
        assertThat(lines)
                .extracting(line -> line.get("client").asText() + " "
                        + line.get("threads").asInt() + " " + line.get("batch").asInt())
                .containsExactly("granary 2 1", "granary-futures 2 1", "granary 1 100", "granary-futures 1 100");
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.get("store").asText()).isEqualTo("granary");
            assertThat(line.get("copies").asInt()).isEqualTo(1);
            assertThat(line.get("getShare").asDouble()).isEqualTo(0.95);
            for (String field : List.of(
                    "opsPerSecond",
                    "p50Micros",
                    "p99Micros",
                    "p999Micros",
                    "clientCpuNanosPerOp",
                    "clientBytesAllocatedPerOp",
                    "clientVoluntarySwitchesPerOp",
                    "serverBytesAllocatedPerOp")) {
                assertThat(line.get(field).asDouble()).as(field).isPositive();
            }
            assertThat(line.get("serverCpuNanosPerOp").isNumber()).isTrue();
            assertThat(line.get("serverVoluntarySwitchesPerOp").isNumber()).isTrue();
            assertThat(line.get("opsPerSecondOfRounds")).hasSize(2);
            assertThat(line.get("p50Micros").asDouble())
                    .isLessThanOrEqualTo(line.get("p99Micros").asDouble());
        });
    }

    @Test
    void network_badOptions_areRefused() {
        assertThat(GranaryCommand.execute("bench", "network", "--clients", "memcached"))
                .isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "network", "--threads", "0")).isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "network", "--rounds", "0")).isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "network", "--copies", "5")).isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "network", "--case", "other"))
                .isEqualTo(USAGE);
    }
}
