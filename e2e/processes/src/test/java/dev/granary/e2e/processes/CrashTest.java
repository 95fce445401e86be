package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.processes.Commands.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** kill -9, and the state afterwards. Tests that leave the cluster as they found it share one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashTest {

    private final LocalCluster shared = LocalCluster.up(1, 2);

    @AfterAll
    void end() {
        shared.close();
    }

    private static boolean allLive(JsonNode status, int peers) {
        return status.at("/totals/livePeers").asInt() == peers;
    }

    private static String nidOf(JsonNode status, String name) {
        return LocalCluster.storagePeer(status, name).path("nid").asText();
    }

    @Test
    @Tag(Tags.LONG)
    void storagePeerWithoutCopies_killedAndStartedAgain_keepsItsNidSaysLostAndLeavesOthersAlone() {
        try (LocalCluster cluster = LocalCluster.up(1, 2, "zone.backups=0")) {
            JsonNode before = cluster.awaitStatus("two live storage peers", status -> allLive(status, 2));
            String victim = nidOf(before, "storage-1");
            String lost = cluster.granary("create", "--on", victim, "gone").ok();
            String kept = cluster.granary("create", "--on", nidOf(before, "storage-0"), "kept")
                    .ok();

            cluster.kill("storage-1");
            assertThat(cluster.granary("get", kept).ok()).isEqualTo("kept");
            JsonNode expired = cluster.awaitStatus("an expired lease", status -> allLive(status, 1));
            assertThat(LocalCluster.storagePeer(expired, "storage-1")
                            .path("state")
                            .asText())
                    .isEqualTo("expired");

            cluster.up().ok();
            JsonNode after = cluster.awaitStatus("two live storage peers again", status -> allLive(status, 2));
            JsonNode back = LocalCluster.storagePeer(after, "storage-1");
            assertThat(back.path("nid").asText()).isEqualTo(victim);
            assertThat(back.path("epoch").asLong()).isEqualTo(2);
            assertThat(back.path("lostLidsBelow").asLong()).isGreaterThan(1);
            assertThat(after.at("/totals/storagePeers").asInt()).isEqualTo(2);

            Outcome gone = cluster.granary("get", lost);
            assertThat(gone.exitCode()).isEqualTo(1);
            assertThat(gone.err()).contains("lost");
            assertThat(cluster.granary("get", kept).ok()).isEqualTo("kept");

            String next = cluster.granary("create", "--on", victim, "new").ok();
            long lid = Long.parseUnsignedLong(next.substring(6), 16);
            assertThat(lid).isGreaterThanOrEqualTo(back.path("lostLidsBelow").asLong());
            assertThat(cluster.granary("get", next).ok()).isEqualTo("new");
        }
    }

    @Test
    @Tag(Tags.LONG)
    void cluster_downAndUp_itsChunksAreBackFromTheirCopies() {
        try (LocalCluster cluster = LocalCluster.up(1, 3)) {
            cluster.awaitStatus("three live storage peers", status -> allLive(status, 3));
            String first = cluster.granary("create", "first").ok();
            String second = cluster.granary("create", "second").ok();
            cluster.granary("delete", second).ok();
            cluster.granary("down").ok();
            cluster.up().ok();
            cluster.awaitStatus("three live storage peers again", status -> allLive(status, 3));
            cluster.awaitStatus(
                    "no zone to be recovered",
                    status -> status.at("/zones/recovering").asInt() == 0);
            assertThat(cluster.granary("get", first).ok()).isEqualTo("first");
            assertThat(cluster.granary("get", second).exitCode()).isEqualTo(1);
        }
    }

    @Test
    void storagePeer_terminated_givesItsLeaseBackAtOnce() {
        JsonNode before = shared.awaitStatus("two live storage peers", status -> allLive(status, 2));
        shared.terminate("storage-1");
        assertThat(shared.log("storage-1")).contains("has stopped exitCode=\"0\"");
        JsonNode stopped = shared.status();
        assertThat(LocalCluster.storagePeer(stopped, "storage-1").path("state").asText())
                .isEqualTo("expired");
        shared.up().ok();
        JsonNode after = shared.awaitStatus("two live storage peers again", status -> allLive(status, 2));
        assertThat(nidOf(after, "storage-1")).isEqualTo(nidOf(before, "storage-1"));
    }

    @Test
    void superPeer_killedAndStartedAgain_leasesGoOnAndNothingIsLost() {
        JsonNode before = shared.awaitStatus("two live storage peers", status -> allLive(status, 2));
        String cid = shared.granary("create", "here before").ok();

        shared.kill("super-peer-0");
        assertThat(shared.get("storage-0", "/healthz").statusCode()).isEqualTo(200);
        shared.up().ok();

        JsonNode after = shared.awaitStatus("two live storage peers", status -> allLive(status, 2));
        assertThat(after.path("clusterId").asText())
                .isEqualTo(before.path("clusterId").asText());
        assertThat(after.path("storagePeers").findValuesAsText("epoch"))
                .isEqualTo(before.path("storagePeers").findValuesAsText("epoch"));
        assertThat(after.path("storagePeers").findValuesAsText("nid"))
                .isEqualTo(before.path("storagePeers").findValuesAsText("nid"));
        assertThat(shared.granary("get", cid).ok()).isEqualTo("here before");
        String next = shared.granary("create", "here after").ok();
        assertThat(shared.granary("get", next).ok()).isEqualTo("here after");
    }
}
