package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Loop;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.testkit.MetricsPage;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
        ConnectionMetrics.register(
                registry,
                () -> 3,
                () -> Map.of("address", 2L, "all", 0L, "frame", 0L, "silent", 1L, "tls", 0L),
                new ConnectionMetrics.Traffic(() -> 6, () -> 600, () -> 7, () -> 700));
        AccessMetrics.register(registry, () -> Map.of("proof", 4L, "role", 5L));
        new HttpRefusals().register(registry);
        TlsMetrics.register(
                registry, () -> 3600, () -> 7200, new TlsMetrics.Revoked(() -> 3, () -> 60), () -> 2, () -> 1);
        try (NodeRuntime runtime = NodeRuntime.open(folder.resolve("data"), "control", (reason, cause) -> {})) {
            Loop.every(runtime.environment().scheduler(), "planted", MI, () -> {})
                    .beginAfter(0);
            LoopMetrics.register(registry, runtime.environment().scheduler().loops());
            MetricsPage.checkCommon(PAGE, registry);
            assertThat(registry.getSampleValue("granary_connections")).isEqualTo(3);
            assertThat(registry.getSampleValue(
                            "granary_connections_refused_total", new String[] {"reason"}, new String[] {"address"}))
                    .isEqualTo(2);
            assertThat(registry.getSampleValue(
                            "granary_requests_denied_total", new String[] {"reason"}, new String[] {"role"}))
                    .isEqualTo(5);
            assertThat(registry.getSampleValue("granary_network_received_bytes_total"))
                    .isEqualTo(600);
            assertThat(registry.getSampleValue("granary_network_sent_frames_total"))
                    .isEqualTo(7);
            assertThat(registry.getSampleValue("granary_tls_certificate_expiry_seconds"))
                    .isEqualTo(3600);
            assertThat(registry.getSampleValue(
                            "granary_tls_reloads_total", new String[] {"outcome"}, new String[] {"taken"}))
                    .isEqualTo(2);
        }
    }
}
