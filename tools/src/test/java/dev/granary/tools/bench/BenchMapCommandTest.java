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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@link BenchMapCommand}, with every map in a process of its own. */
class BenchMapCommandTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void map_fewEntries_everyStoreInEveryCase() throws IOException {
        Path file = directory.resolve("map.json");
        int code = GranaryCommand.execute(
                "bench", "map", "--entries", "5_000", "--threads", "1", "--json", file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a line", line))
                .toList();
        assertThat(lines)
                .extracting(line -> line.get("store").asText() + " "
                        + line.get("name").asText() + " " + line.get("keyBytes") + "+" + line.get("valueBytes"))
                .containsExactlyInAnyOrder(
                        "granary off-heap 64+64",
                        "hashmap ample-heap 64+64",
                        "hashmap small-heap 64+64",
                        "concurrenthashmap ample-heap 64+64",
                        "concurrenthashmap small-heap 64+64",
                        "granary off-heap 16+32",
                        "hashmap ample-heap 16+32",
                        "concurrenthashmap ample-heap 16+32");
        assertThat(lines).allSatisfy(line -> {
            double payload =
                    line.get("keyBytes").asInt() + line.get("valueBytes").asInt();
            assertThat(line.get("entries").asInt()).isEqualTo(5_000);
            assertThat(line.get("threads").asInt()).isEqualTo(1);
            assertThat(line.get("heapBytes").asLong()).isPositive();
            assertThat(line.get("bytesPerEntry").asDouble()).isGreaterThan(payload);
            assertThat(line.get("overheadBytesPerEntry").asDouble())
                    .isEqualTo(line.get("bytesPerEntry").asDouble() - payload);
            assertThat(line.get("insertsPerSecond").asDouble()).isPositive();
            assertThat(line.get("putsPerSecond").asDouble()).isPositive();
            assertThat(line.get("getsPerSecond").asDouble()).isPositive();
            assertThat(line.get("longestPauseMillis").asDouble()).isPositive();
            assertThat(line.get("batchedGetsPerSecond").isNull())
                    .isEqualTo(!line.get("store").asText().equals("granary"));
        });
    }

    @Test
    void map_moreThanTheMachineHolds_isRefused() {
        assertThat(GranaryCommand.execute("bench", "map", "--entries", "2G")).isNotZero();
        assertThat(GranaryCommand.execute("bench", "map", "--entries", "many")).isNotZero();
    }

    @ParameterizedTest
    @CsvSource({
        "--entries,many,2,--entries",
        "--entries,0,2,--entries",
        "--entries,3G,2,at most 2147483647",
        "--threads,0,2,--threads",
        "--threads,'1,',2,--threads",
        "--entries,1900M,1,use fewer --entries",
        "--json,/nowhere/map.json,1,/nowhere/map.json"
    })
    void map_optionThatMakesNoSense_isRefusedBeforeAnythingIsMeasured(
            String option, String value, int code, String why) {
        StringBuilder said = new StringBuilder();
        CommandLine line = new CommandLine(new BenchMapCommand());
        line.setParameterExceptionHandler((e, arguments) -> {
            said.append(e.getMessage());
            return 2;
        });
        line.setExecutionExceptionHandler((e, commandLine, parsed) -> {
            said.append(e.getMessage());
            return 1;
        });
        assertThat(line.execute(option, value)).isEqualTo(code);
        assertThat(said.toString()).contains(why);
    }
}
