package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.GranaryCommand;
import org.junit.jupiter.api.Test;

/**
 * {@link BenchCompareCommand} and {@link BenchReportCommand} with options that make no sense. Measurements need the
 * libraries of bench/compare: {@code ./granary bench compare --quick} makes them, by {@code CompareExperiment}.
 */
class BenchCompareCommandTest {

    private static final int USAGE = 2;

    @Test
    void compare_badOptions_areRefused() {
        assertThat(GranaryCommand.execute("bench", "compare", "--stores", "cassandra"))
                .isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "compare", "--workloads", "ycsb-g"))
                .isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "compare", "--rounds", "-1")).isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "compare", "--open-percent", "101"))
                .isEqualTo(USAGE);
        assertThat(GranaryCommand.execute("bench", "compare", "--server-cpus", "all"))
                .isEqualTo(USAGE);
    }

    @Test
    void report_withoutAPlace_isRefused() {
        assertThat(GranaryCommand.execute("bench", "report")).isEqualTo(USAGE);
    }
}
