package dev.granary.tools.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** How {@link SimulateCommand} ends: whoever calls it looks at its exit code alone. */
class SimulateCommandTest {

    private static final int NOT_COVERED = 3;

    @TempDir
    private Path directory = Path.of("");

    private final StringBuilder said = new StringBuilder();

    private int simulate(String... arguments) {
        CommandLine line = new CommandLine(new SimulateCommand());
        line.setExecutionExceptionHandler((e, commandLine, parsed) -> {
            said.append(e.getMessage());
            return 1;
        });
        return line.execute(arguments);
    }

    /** A run without a seed finds nothing, and must not look like one that has found nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--seeds 0;--seeds is 0",
                "--seeds=-5;--seeds is -5",
                "--step 0;--step is 0",
                "--threads 0;--threads is 0",
                "--backups 1;--backups is 3, or 0",
                "--ring 4;--ring is 3 or 5",
                "--faults nonsense;unknown fault 'nonsense'",
                "--faults loss,;unknown fault ''",
                "--planted nonsense;nonsense"
            })
    void simulate_wrongValue_isRefusedAndNamed(String arguments, String why) {
        assertThat(simulate(arguments.split(" "))).isEqualTo(1);
        assertThat(said.toString()).contains(why);
    }

    @Test
    void simulate_oneSeed_isRunCountedAndNotCovered() throws Exception {
        Path figures = directory.resolve("figures.json");
        Path history = Files.createDirectories(directory.resolve("history"));
        int code = simulate(
                "--seeds",
                "1",
                "--first-seed",
                "3",
                "--faults",
                "delay",
                "--require-coverage",
                "--history",
                history.toString(),
                "--json",
                figures.toString());
        assertThat(code).as("one seed cannot reach every probe; %s", said).isEqualTo(NOT_COVERED);
        JsonNode told = Json.parse("the figures", Files.readString(figures));
        assertThat(told.path("seeds").asInt()).isEqualTo(1);
        assertThat(told.path("firstSeed").asLong()).isEqualTo(3);
        assertThat(told.path("operationsChecked").asLong()).isGreaterThanOrEqualTo(2_000);
        assertThat(told.at("/faults/delay/tookEffect").asInt()).isEqualTo(1);
        assertThat(told.path("violations").asInt(-1)).isZero();
        assertThat(history).isNotEmptyDirectory();
    }

    /** No few seeds reach every probe, so that all are run that may be. */
    @Test
    void simulate_notCoveredByItsSeeds_runsMoreUpToTheMost() throws Exception {
        Path figures = directory.resolve("figures.json");
        assertThat(simulate(
                        "--seeds",
                        "1",
                        "--most-seeds",
                        "3",
                        "--faults",
                        "delay",
                        "--backups",
                        "0",
                        "--json",
                        figures.toString()))
                .isZero();
        JsonNode told = Json.parse("the figures", Files.readString(figures));
        assertThat(told.path("seeds").asInt()).isEqualTo(3);
        assertThat(told.at("/faults/delay/injected").asInt()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void simulate_figuresCannotBeWritten_failsBeforeTheFirstSeed() {
        Path history = directory.resolve("history");
        assertThat(simulate(
                        "--seeds",
                        "1",
                        "--faults",
                        "delay",
                        "--history",
                        history.toString(),
                        "--json",
                        directory.resolve("missing/figures.json").toString()))
                .isEqualTo(1);
        assertThat(said.toString()).contains("cannot write");
        assertThat(history).doesNotExist();
    }

    /** As the gate has it: a list goes on after a run that failed, and tells of it by its exit code. */
    @Test
    void simulate_listOfRuns_eachIsRunByItselfAndTheFirstFailureIsTold() throws Exception {
        Path first = directory.resolve("first.json");
        Path second = directory.resolve("second.json");
        Path runs = directory.resolve("runs");
        Files.writeString(runs, """
                # A comment, an empty line, and two runs.

                --seeds 1 --faults delay --require-coverage --json %s
                  --seeds 2 --first-seed 3 --step 2 --faults loss --backups 0 --json %s
                """.formatted(first, second));
        assertThat(simulate("--runs", runs.toString())).isEqualTo(NOT_COVERED);
        JsonNode toldFirst = Json.parse("the figures", Files.readString(first));
        assertThat(toldFirst.at("/faults").has("delay")).isTrue();
        JsonNode told = Json.parse("the figures", Files.readString(second));
        assertThat(told.path("seeds").asInt()).isEqualTo(2);
        assertThat(told.path("firstSeed").asLong()).isEqualTo(3);
        assertThat(told.path("step").asInt()).isEqualTo(2);
        assertThat(told.at("/probes/missed"))
                .as("only the first run has copies, and what it has hit is no coverage of the second one")
                .anyMatch(name -> toldFirst.at("/probes/hit").has(name.asText()));
        assertThat(told.path("violations").asInt(-1)).isZero();
    }

    @Test
    void simulate_listWithAMistake_runsNothing() throws Exception {
        Path figures = directory.resolve("figures.json");
        Path runs = directory.resolve("runs");
        String run = "--seeds 1 --faults delay --json " + figures + "\n";
        Files.writeString(runs, run + "--no-such-option");
        assertThat(simulate("--runs", runs.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
        Files.writeString(runs, run + "--runs " + runs);
        assertThat(simulate("--runs", runs.toString())).isEqualTo(1);
        assertThat(said.toString()).contains("is no list");
        Files.writeString(runs, run);
        assertThat(simulate("--seeds", "5", "--runs", runs.toString())).isEqualTo(1);
        assertThat(simulate("--json", directory.toString())).isEqualTo(1);
        Files.writeString(runs, "# nothing\n");
        assertThat(simulate("--runs", runs.toString())).isEqualTo(1);
        assertThat(said.toString()).contains("there is no run in");
        assertThat(simulate("--runs", directory.resolve("missing").toString())).isEqualTo(1);
        assertThat(said.toString()).contains("cannot read");
        assertThat(figures).doesNotExist();
    }
}
