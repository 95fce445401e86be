package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three super-peers in processes of their own. */
class RingTest {

    @Test
    @Tag(Tags.LONG)
    void threeSuperPeers_oneKilledAndStartedAgain_ringAndChunksStay() {
        try (LocalCluster cluster = LocalCluster.up(3, 3, LocalCluster.PATIENT_LEASES)) {
            JsonNode before = cluster.awaitStatus(
                    "three live storage peers",
                    status -> status.at("/totals/livePeers").asInt() == 3);
            assertThat(before.at("/ring/size").asInt()).isEqualTo(3);
            assertThat(before.at("/ring/superPeers").findValuesAsText("nid"))
                    .containsExactly("0x0001", "0x4001", "0x8001");
            assertThat(before.at("/ring/superPeers").findValuesAsText("reachable"))
                    .containsOnly("true");
            // Each storage peer has two ranges: the identifiers that are reserved for it, and the rest.
            assertThat(before.at("/totals/ranges").asInt()).isEqualTo(6);
            List<String> cids = new ArrayList<>();
            for (String nid : before.path("storagePeers").findValuesAsText("nid")) {
                cids.add(cluster.granary("create", "--on", nid, "on " + nid).ok());
            }

            cluster.kill("super-peer-1");
            JsonNode without = cluster.awaitStatus("an unreachable super-peer", status -> status.at("/ring/superPeers")
                    .findValuesAsText("reachable")
                    .contains("false"));
            assertThat(without.at("/ring/superPeers").findValuesAsText("reachable"))
                    .containsOnlyOnce("false");

            cluster.up().ok();
            JsonNode after = cluster.awaitStatus(
                    "all reachable and live",
                    status -> status.at("/totals/livePeers").asInt() == 3
                            && !status.at("/ring/superPeers")
                                    .findValuesAsText("reachable")
                                    .contains("false"));
            assertThat(after.path("clusterId")).isEqualTo(before.path("clusterId"));
            assertThat(after.at("/ring/superPeers").findValuesAsText("nid"))
                    .isEqualTo(before.at("/ring/superPeers").findValuesAsText("nid"));
            for (String cid : cids) {
                assertThat(cluster.granary("get", cid).ok()).isEqualTo("on " + cid.substring(0, 6));
            }
            assertThat(cluster.granary("down").ok()).contains("Stopped 6 processes");
            assertThat(cluster.processes()).isEmpty();
        }
    }
}
