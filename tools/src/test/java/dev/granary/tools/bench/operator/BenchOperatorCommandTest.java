package dev.granary.tools.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.GranaryCommand;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchOperatorCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--resources,0",
        "--resources,1001",
        "--idle-seconds,0",
        "--nodes,-1",
        "--nodes,5001",
        "--kube-bin,/nowhere"
    })
    void operator_wrongValue_isRefused(String option, String value) {
        assertThat(GranaryCommand.execute("bench", "operator", option, value))
                .isEqualTo(option.equals("--kube-bin") ? 1 : 2);
    }
}
