package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/metrics.md has each metric that any process registers, also those that no test of a process registers, and a
 * dashboard shows each of them. (That nobody asks for a metric that is not there is a test of dashboards/source.)
 */
class MetricsTest {

    /** A metric's name as a whole string in the code. */
    private static final Pattern NAME = Pattern.compile(
            "\"(granary_(?:storage|redis|backup|recovery|superpeer|network|loop|memory_plan|operator)_[a-z_]+)\"");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(granary_[a-z_]+)` \\|");

    /** A metric in a query, of a histogram without the ending of its series, also where a rule has recorded it. */
    private static final Pattern QUERIED = Pattern.compile("\\b(granary_[a-z_]+?)(?:_bucket|_count|_sum)?\\b");

    @Test
    void metricsPage_metricsOfTheCode_areAllOnIt() {
        Set<String> page = named(ROW, Stream.of(Sources.ROOT.resolve("docs/metrics.md")));
        Set<String> code = named(
                NAME,
                Sources.java().stream()
                        .filter(file -> Sources.name(file).contains("/src/main/")
                                && !Sources.name(file).matches("(e2e|tools)/.*")));
        assertThat(code).as("metrics of the code").hasSizeGreaterThan(60);
        // Counters may be registered with or without their ending.
        code.removeIf(name -> page.contains(name) || page.contains(name + "_total"));
        assertThat(code).as("metrics that docs/metrics.md lacks").isEmpty();
    }

    @Test
    void dashboards_metricsOfThePage_areAllShown() throws IOException {
        Set<String> page = named(ROW, Stream.of(Sources.ROOT.resolve("docs/metrics.md")));
        Set<String> shown;
        try (Stream<Path> files = Files.list(Sources.ROOT.resolve("dashboards"))) {
            shown = named(QUERIED, files.filter(file -> file.toString().endsWith(".json")));
        }
        assertThat(shown).as("metrics of the dashboards").hasSizeGreaterThan(60);
        assertThat(page)
                .as("metrics that are on no dashboard: add a panel in dashboards/source, then dashboards/generate")
                .isSubsetOf(shown);
    }

    private static Set<String> named(Pattern pattern, Stream<Path> files) {
        return files.flatMap(file -> pattern.matcher(Sources.read(file)).results())
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
