package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/metrics.md has each metric that any process registers, also those that no test of a process registers. */
class MetricsTest {

    /** A metric's name as a whole string in the code. */
    private static final Pattern NAME = Pattern.compile(
            "\"(granary_(?:storage|redis|backup|recovery|superpeer|loop|memory_plan|operator)_[a-z_]+)\"");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(granary_[a-z_]+)` \\|");

    @Test
    void metricsPage_metricsOfTheCode_areAllOnIt() {
        Set<String> page = ROW.matcher(Sources.read(Sources.ROOT.resolve("docs/metrics.md")))
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> code = Sources.java().stream()
                .filter(file -> Sources.name(file).contains("/src/main/")
                        && !Sources.name(file).matches("(e2e|tools)/.*"))
                .flatMap(file -> NAME.matcher(Sources.read(file)).results())
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(code).as("metrics of the code").hasSizeGreaterThan(60);
        // Counters may be registered with or without their ending.
        code.removeIf(name -> page.contains(name) || page.contains(name + "_total"));
        assertThat(code).as("metrics that docs/metrics.md lacks").isEmpty();
    }
}
