package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

class MetricsPageTest {

    @TempDir
    Path folder = Path.of("");

    @Test
    void table_counterAndHistogram_areRowsWithLabelsAndUnits() {
        CollectorRegistry registry = new CollectorRegistry();
        Counter answers = Counter.build("answers_total", "Answers | refusals.")
                .labelNames("outcome", "pod")
                .register(registry);
        answers.labels("refused", "p").inc();
        answers.labels("ok", "p").inc();
        Histogram.build("wait_seconds", "Waits.").register(registry);
        assertThat(MetricsPage.table(registry, name -> true)).isEqualTo("""

                        | metric | type | labels | unit | meaning |
                        |---|---|---|---|---|
                        | `answers_total` | counter | `outcome`: ok, refused; `pod` | number | Answers \\| refusals. |
                        | `wait_seconds` | histogram |  | seconds | Waits. |

                        """);
    }

    /** While pages are rewritten, nothing is refused. */
    @Test
    @DisabledIfSystemProperty(named = MetricsPage.UPDATE_PROPERTY, matches = "true")
    void check_tableOfOtherMetrics_saysHowToRewriteIt() throws IOException {
        Path page = folder.resolve("page.md");
        Files.writeString(page, "<!-- metrics of it -->\nold\n<!-- end -->\n");
        assertThatThrownBy(() -> MetricsPage.check(page, "it", new CollectorRegistry()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-Dgranary.docs.update=true");
        assertThatThrownBy(() -> MetricsPage.check(page, "another", new CollectorRegistry()))
                .hasMessageContaining("<!-- metrics of another -->");
    }
}
