package dev.granary.tools.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.GranaryCommand;
import dev.granary.cli.base.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What {@link BenchOperatorCommand} refuses, and when it takes a resource for ready. */
class BenchOperatorCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--resources,0",
        "--resources,1001",
        "--resources,'1,0'",
        "--idle-seconds,0",
        "--nodes,-1",
        "--nodes,5001",
        "--kube-bin,/nowhere"
    })
    void operator_wrongValue_isRefused(String option, String value) {
        assertThat(GranaryCommand.execute("bench", "operator", option, value))
                .isEqualTo(option.equals("--kube-bin") ? 1 : 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "true; {\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}",
                "false; {\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"Unknown\"}]}}",
                "false; {\"status\": {\"conditions\": [{\"type\": \"Stalled\", \"status\": \"True\"},"
                        + " {\"type\": \"Ready\", \"status\": \"False\"}]}}",
                "false; {\"status\": {}}",
                "false; {}"
            })
    void isTrue_condition_onlyWhenThatTypeIsTrue(boolean ready, String object) {
        assertThat(BenchOperatorCommand.isTrue(Json.parse("an object", object), "Ready"))
                .isEqualTo(ready);
    }

    @Test
    void operator_wrongValue_isSaidWithAllRanges() {
        CommandLine line = new CommandLine(new BenchOperatorCommand());
        StringBuilder said = new StringBuilder();
        line.setParameterExceptionHandler((e, arguments) -> {
            said.append(e.getMessage());
            return 2;
        });
        assertThat(line.execute("--resources", "2000")).isEqualTo(2);
        assertThat(said.toString()).contains("--resources are from 1 to 1000");
    }
}
