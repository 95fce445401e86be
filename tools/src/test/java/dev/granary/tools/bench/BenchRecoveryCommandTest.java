package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.GranaryCommand;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@link BenchRecoveryCommand}: logs and dumps in processes of their own, and what is refused before that. */
class BenchRecoveryCommandTest {

    private static final int USAGE = 2;
    private static final long GIB = 1L << 30;

    /** The measured fields by case. */
    private static final Map<String, List<String>> MEASURED = Map.of(
            "log-append", List.of("chunks", "logAppendsPerSecond"),
            "log-replay", List.of("chunks", "replayChunksPerSecondPerCore"),
            "log-cleaner", List.of("chunks", "utilisation", "writeAmplification"),
            "dump", List.of("chunks", "dumpShareOfDisk", "loadShareOfDisk"));

    @TempDir
    private Path directory = Path.of("");

    @Test
    void recovery_logsAndDumps_allFieldsInEveryLine() throws IOException {
        Path file = directory.resolve("result.json");
        int code = GranaryCommand.execute(
                "bench",
                "recovery",
                "--cases",
                String.join(",", MEASURED.keySet()),
                "--chunks",
                "10K",
                "--directory",
                directory.resolve("work").toString(),
                "--json",
                file.toString());
        assertThat(code).isZero();
        List<JsonNode> lines = read(file);
        assertThat(lines)
                .extracting(line -> line.get("case").asText())
                .contains(MEASURED.keySet().toArray(String[]::new));
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.fieldNames()).toIterable().startsWith(RecoveryTable.FIELDS.toArray(String[]::new));
            List<String> measured = MEASURED.getOrDefault(line.get("case").asText(), List.of());
            assertThat(RecoveryTable.FIELDS)
                    .filteredOn(field -> !field.equals("case"))
                    .allSatisfy(field ->
                            assertThat(line.get(field).isNumber()).as(field).isEqualTo(measured.contains(field)));
        });
        assertThat(directory.resolve("work")).isEmptyDirectory();
    }

    @Test
    void add_fieldsOfAnyOrder_thoseOfAllLinesComeFirst() throws IOException {
        Path file = directory.resolve("result.json");
        try (RecoveryTable table = new RecoveryTable(file)) {
            table.add(Map.of("own", 1, "lostWrites", 0L, "case", "recovery"));
        }
        JsonNode line = read(file).getFirst();
        assertThat(line.fieldNames()).toIterable().startsWith(RecoveryTable.FIELDS.toArray(String[]::new));
        assertThat(line.get("case").asText()).isEqualTo("recovery");
        assertThat(line.get("lostWrites").isIntegralNumber()).isTrue();
        assertThat(line.get("recoveryMillis").isNull()).isTrue();
        assertThat(line.get("own").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cases nonsense",
                "--cases recovery,nonsense",
                "--cases recovery --peers 1",
                "--cases recovery --peers 3,0",
                "--cases recovery --peers three",
                "--chunks many",
                "--chunks 9999",
                "--chunks 3G"
            })
    void recovery_optionsThatMakeNoSense_areRefusedAsSuch(String options) {
        String[] arguments = ("bench recovery " + options).split(" ", -1);
        assertThat(GranaryCommand.execute(arguments)).isEqualTo(USAGE);
    }

    @Test
    void recovery_resultsThatCannotBeWritten_isRefusedBeforeAnythingIsMeasured() {
        Path file = directory.resolve("missing").resolve("result.json");
        assertThat(GranaryCommand.execute("bench", "recovery", "--json", file.toString()))
                .isEqualTo(1);
    }

    @Test
    void recovery_directoryCannotBeMade_isRefusedAndNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        StringBuilder said = new StringBuilder();
        CommandLine line = new CommandLine(new BenchRecoveryCommand());
        line.setExecutionExceptionHandler((e, commandLine, parsed) -> {
            said.append(e.getMessage());
            return 1;
        });
        assertThat(line.execute(
                        "--cases", "dump", "--directory", file.resolve("logs").toString()))
                .isEqualTo(1);
        assertThat(said.toString()).contains(file.toString());
    }

    @Test
    void require_enoughOfEverything_isAccepted() {
        assertThatCode(() -> ClusterRoom.require(5, 10_000_000, 16 * GIB, 64 * GIB, directory))
                .doesNotThrowAnyException();
    }

    @Test
    void require_tooLittleMemory_saysWhatItTakes() {
        assertThatThrownBy(() -> ClusterRoom.require(5, 100_000_000, 4 * GIB, 640 * GIB, directory))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("100,000,000 chunks on 5 storage peers")
                .hasMessageContaining("GiB of RAM, but only 4.0 GiB are available");
    }

    @Test
    void require_tooLittleDisk_saysWhatItTakes() {
        assertThatThrownBy(() -> ClusterRoom.require(5, 10_000_000, 64 * GIB, GIB, directory))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("GiB of disk, but only 1.0 GiB are free under " + directory);
    }

    private static List<JsonNode> read(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> Json.parse("a line", line))
                .toList();
    }
}
