package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.processes.Commands.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster that a user hibernates, stops, and starts again. */
class HibernationTest {

    private static final int CHUNKS_OF_A_BATCH = 50_000;

    private static void awaitAllLive(LocalCluster cluster) {
        cluster.awaitStatus(
                "three live storage peers",
                status -> status.at("/totals/livePeers").asInt() == 3
                        && status.at("/ring/complete").asBoolean());
    }

    @Test
    void hibernate_stoppedAndStartedAgain_everyChunkIsThereAndNobodyWasReplaced() {
        try (LocalCluster cluster = LocalCluster.up(3, 3, LocalCluster.PATIENT_LEASES)) {
            awaitAllLive(cluster);
            List<String> cids = new ArrayList<>();
            for (String nid : List.of("0x4000", "0x8000", "0xc000")) {
                cids.add(
                        cluster.granary("create", "--on", nid, "kept by " + nid).ok());
                cluster.granary("create", "--on", nid, "--size", "32", "--count", "" + CHUNKS_OF_A_BATCH)
                        .ok();
            }
            cluster.grouped("name", "put", "first", cids.getFirst()).ok();

            assertThat(cluster.granary("hibernate").ok()).contains("3 of 3 storage peers are parked");
            assertThat(cluster.status().path("storagePeers").findValuesAsText("state"))
                    .containsOnly("parked");
            Outcome again = cluster.granary("hibernate");
            assertThat(again.ok()).contains("3 of 3 storage peers are parked");
            cluster.granary("down").ok();
            cluster.up().ok();

            awaitAllLive(cluster);
            JsonNode after = cluster.awaitStatus(
                    "all chunks", status -> status.at("/totals/chunks").asLong() >= 3 * (CHUNKS_OF_A_BATCH + 1));
            assertThat(after.path("storagePeers").findValuesAsText("epoch")).containsOnly("1");
            for (String cid : cids) {
                assertThat(cluster.granary("get", cid).ok()).isEqualTo("kept by " + cid.substring(0, 6));
                cluster.granary("put", cid, "changed").ok();
            }
            assertThat(cluster.grouped("name", "get", "first").ok()).isEqualTo(cids.getFirst());
            cluster.granary("create", "--on", "0x4000", "new").ok();
            for (String node : List.of("storage-0", "storage-1", "storage-2")) {
                assertThat(cluster.dataDirectory(node).resolve("memory.dump")).doesNotExist();
            }
        }
    }
}
