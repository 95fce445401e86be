package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Loop;
import dev.granary.process.MemoryPlan.Limits;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class MetricsPageTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "metrics.md");
    private static final long MI = 1 << 20;

    @TempDir
    Path folder = Path.of("");

    /** What the JVM tells differs between systems. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void metricsPage_everyProcess_matchesWhatIsRegistered() throws IOException {
        CollectorRegistry registry = Metrics.newRegistryWithJvm();
        MemoryPlan plan = MemoryPlan.of(
                new Limits(64 * MI, 96 * MI),
                List.of(
                        new MemoryPlan.Need("frames", MemoryPlan.Area.DIRECT, 1, MI, 2 * MI),
                        new MemoryPlan.Need("answers", MemoryPlan.Area.HEAP, 1, MI, 2 * MI)));
        MemoryPlanMetrics.register(registry, plan, () -> Map.of("frames", 1L, "answers", 1L));
        try (NodeRuntime runtime = NodeRuntime.open(folder.resolve("data"), "control", (reason, cause) -> {})) {
            Loop.every(runtime.environment().scheduler(), "planted", MI, () -> {})
                    .beginAfter(0);
            LoopMetrics.register(registry, runtime.environment().scheduler().loops());
            MetricsPage.checkCommon(PAGE, registry);
        }
    }

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
