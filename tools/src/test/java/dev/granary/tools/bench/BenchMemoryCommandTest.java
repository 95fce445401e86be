package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.bench.memory.ResultLine;
import dev.granary.cli.GranaryCommand;
import dev.granary.cli.base.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@link BenchMemoryCommand}, which measures in a process of its own. */
class BenchMemoryCommandTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void memory_tenThousandChunks_allFieldsInEveryLine() throws IOException {
        Path file = directory.resolve("result.json");
        int code = GranaryCommand.execute(
                "bench",
                "memory",
                "--chunks",
                "10_000",
                "--sizes",
                "16-64",
                "--threads",
                "1,2",
                "--operations",
                "20K",
                "--rounds",
                "1",
                "--verify",
                "--json",
                file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a line", line))
                .toList();
        assertThat(lines)
                .allSatisfy(line ->
                        assertThat(line.fieldNames()).toIterable().containsExactlyElementsOf(ResultLine.FIELDS));
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.get("chunks").asLong()).isEqualTo(10_000);
            assertThat(line.get("workload").asText()).isEqualTo("facebook-b");
            assertThat(line.get("sizeBytes").asDouble()).isBetween(39.0, 41.0);
            assertThat(line.get("loadOpsPerSecond").asLong()).isPositive();
            assertThat(line.get("opsPerSecond").asLong()).isPositive();
        });
        assertThat(lines).extracting(line -> line.get("store").asText()).contains("granary", "plain-array");
        assertThat(lines)
                .filteredOn(line -> line.get("store").asText().equals("granary"))
                .extracting(line -> line.get("name").asText() + line.get("threads"))
                .contains(
                        "load1",
                        "workload1",
                        "get1",
                        "put1",
                        "get-batch1",
                        "create-batch1",
                        "delete-batch1",
                        "create-after-delete1",
                        "get-dependent1",
                        "load2",
                        "workload2",
                        "get-batch2");
        assertThat(lines)
                .filteredOn(line -> line.get("name").asText().equals("workload"))
                .allSatisfy(line -> {
                    assertThat(line.get("distribution").asText()).isEqualTo("zipf");
                    assertThat(line.get("getP50Nanos").asLong())
                            .isPositive()
                            .isLessThanOrEqualTo(line.get("getP999Nanos").asLong());
                    assertThat(line.get("putP99Nanos").asLong()).isPositive();
                    assertThat(line.get("batchSize").asInt()).isEqualTo(1);
                });
        assertThat(lines)
                .filteredOn(line -> line.get("name").asText().equals("get-batch"))
                .allSatisfy(line -> assertThat(line.get("batchSize").asInt()).isEqualTo(1_000));
    }

    @Test
    void memory_badOptions_refusedAsWrongUse() {
        for (String[] bad : new String[][] {
            {"--chunks", "many"},
            {"--sizes", "64-16"},
            {"--threads", "0"},
            {"--workload", "no-such-file"},
            {"--distribution", "normal"},
            {"--memory", "much"},
        }) {
            assertThat(GranaryCommand.execute("bench", "memory", bad[0], bad[1]))
                    .as("%s %s", bad[0], bad[1])
                    .isEqualTo(2);
        }
    }

    @Test
    void memory_moreThanTheMachineHas_refused() {
        assertThat(GranaryCommand.execute("bench", "memory", "--chunks", "1_000_000_000_000"))
                .isEqualTo(1);
        assertThat(GranaryCommand.execute("bench", "memory", "--chunks", "1K", "--memory", "1000TiB"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "--minutes,0,--minutes must be above 0",
        "--minutes,NaN,--minutes must be above 0",
        "--operations,3G,--operations is at most",
        "--rounds,0,--rounds",
        "--batch-size,none,--batch-size",
        "--layout,heap,'--layout'",
        "--parts,nothing,'--parts'",
        "--experiment,nothing,'--experiment'",
        "--sizes,0,sizes"
    })
    void memory_optionThatMakesNoSense_isNamed(String option, String value, String why) {
        StringBuilder said = new StringBuilder();
        CommandLine line = new CommandLine(new BenchMemoryCommand());
        line.setParameterExceptionHandler((e, arguments) -> {
            said.append(e.getMessage());
            return 2;
        });
        assertThat(line.execute(option, value)).isEqualTo(2);
        assertThat(said.toString()).contains(why);
    }
}
