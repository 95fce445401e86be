package dev.granary.superpeer;

import dev.granary.testkit.MetricsPage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a super-peer shows, and the page that lists it. */
class MetricsPageTest {

    @Test
    void metricsPage_superPeer_matchesWhatIsRegistered() throws IOException {
        SimulatedRing ring = new SimulatedRing();
        ring.startRing(1);
        MetricsPage.check(Path.of("..", "docs", "metrics.md"), "super-peer", ring.registry("s0"));
    }
}
