package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The options of {@link BenchHostileCommand}. */
class BenchHostileCommandTest {

    @Test
    void hostile_caseThatThereIsNot_isRefusedWithTheNames() {
        assertThat(new CommandLine(new BenchHostileCommand()).execute("--cases", "polite"))
                .isEqualTo(2);
        assertThat(new CommandLine(new BenchHostileCommand()).execute("--seconds", "0"))
                .isEqualTo(2);
    }
}
