package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.process.LoopMetrics;
import dev.granary.storage.door.DoorMetrics;
import dev.granary.storage.door.OpenDoor;
import dev.granary.testkit.MetricsPage;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a storage peer shows, and the page that lists it. */
class MetricsPageTest {

    @TempDir
    Path folder = Path.of("");

    @Test
    void metricsPage_storageNode_matchesWhatIsRegistered() throws Exception {
        try (NodeFixture fixture = new NodeFixture().start();
                OpenDoor open = new OpenDoor()) {
            fixture.advanceUntil(() -> fixture.sample("granary_storage_lease_valid") == 1);
            LoopMetrics.register(fixture.registry(), fixture.loops());
            assertThat(new ProcessMetrics(fixture.registry(), folder, 0)).isNotNull();
            assertThat(new DoorMetrics(fixture.registry(), open.door())).isNotNull();
            MetricsPage.check(Path.of("..", "docs", "metrics.md"), "storage-node", fixture.registry());
        }
    }

    @Test
    void processMetrics_volumeAndFailures_areShown() throws IOException {
        CollectorRegistry registry = new CollectorRegistry();
        ProcessMetrics metrics = new ProcessMetrics(registry, folder, 2);
        metrics.cleanerFailed();
        assertThat(registry.getSampleValue("granary_storage_cleaner_failures_total"))
                .isEqualTo(1);
        assertThat(registry.getSampleValue("granary_storage_incarnations_ended_total"))
                .isEqualTo(2);
        assertThat(registry.getSampleValue("granary_storage_volume_free_bytes"))
                .isPositive()
                .isLessThanOrEqualTo(registry.getSampleValue("granary_storage_volume_size_bytes"));
    }
}
