package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What {@link BenchOverlayCommand} refuses before it starts a process of two gigabytes. */
class BenchOverlayCommandTest {

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource({
        "--max-ranges,11M",
        "--max-ranges,many",
        "--max-ranges,0",
        "--max-map-chunks,10_000_001",
        "--max-map-chunks,-5",
        "--max-chunks,1.5M",
        "--parts,nonsense",
        "--parts,'zones,nonsense'"
    })
    void overlay_optionThatMakesNoSense_isRefusedAsSuch(String option, String value) {
        CommandLine line = new CommandLine(new BenchOverlayCommand());
        StringBuilder said = new StringBuilder();
        line.setParameterExceptionHandler((e, arguments) -> {
            said.append(e.getMessage());
            return 2;
        });
        assertThat(line.execute(option, value)).isEqualTo(2);
        assertThat(said.toString()).as("names what is wrong").containsAnyOf(option, "nonsense");
    }

    @Test
    void overlay_resultsThatCannotBeWritten_isRefusedBeforeAnythingIsMeasured() {
        CommandLine line = new CommandLine(new BenchOverlayCommand());
        StringBuilder said = new StringBuilder();
        line.setExecutionExceptionHandler((e, commandLine, parsed) -> {
            said.append(e.getMessage());
            return 1;
        });
        Path file = directory.resolve("missing").resolve("result.json");
        assertThat(line.execute("--json", file.toString())).isEqualTo(1);
        assertThat(said.toString()).contains(file.toString());
    }
}
