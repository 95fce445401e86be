package dev.granary.e2e.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.e2e.processes.Commands.Outcome;
import dev.granary.overlay.Nid;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cluster that a user hibernates, stops, and starts again. */
class HibernationTest {

    private static final int[] NIDS = {0x4000, 0x8000, 0xC000};
    private static final int CHUNKS_OF_A_BATCH = 10_000;

    private static long first(Map<Long, byte[]> chunks) {
        return chunks.keySet().iterator().next();
    }

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
            Map<Long, byte[]> chunks = new LinkedHashMap<>();
            try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
                for (int nid : NIDS) {
                    byte[] value = ("kept by " + Nid.toHex(nid)).getBytes(UTF_8);
                    chunks.put(client.create(value, Place.on(nid)), value);
                    client.createZeroed(CHUNKS_OF_A_BATCH, 32, Place.on(nid));
                }
                client.names().put("first", first(chunks));
            }

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
            try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
                chunks.forEach((cid, value) -> {
                    assertThat(client.get(cid)).isEqualTo(value);
                    client.put(cid, "changed".getBytes(UTF_8));
                });
                assertThat(client.names().get("first")).hasValue(first(chunks));
                client.create("new".getBytes(UTF_8), Place.on(NIDS[0]));
            }
            for (String node : List.of("storage-0", "storage-1", "storage-2")) {
                assertThat(cluster.dataDirectory(node).resolve("memory.dump")).doesNotExist();
            }
        }
    }
}
