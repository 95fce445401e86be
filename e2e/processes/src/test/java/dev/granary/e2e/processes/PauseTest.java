package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.GranaryClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A storage peer stands still for longer than its lease while others have copies. */
@Tag(Tags.ALONE)
@Tag(Tags.LONG)
class PauseTest {

    private static final int CHUNKS = 200;

    @Test
    void storagePeer_standsStillUntilOthersTookItsPlace_joinsAgainByItself() {
        try (LocalCluster cluster = LocalCluster.up(3, 4, "zone.backups=2", "lease.duration=2s")) {
            JsonNode before = cluster.awaitStatus("four peers and all copies", status -> isWell(status, 4));
            Map<Long, String> values = new LinkedHashMap<>();
            try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
                for (int i = 0; i < CHUNKS; i++) {
                    String value = "value " + i;
                    values.put(client.create(value.getBytes(StandardCharsets.UTF_8)), value);
                }
            }
            long pid = cluster.pid("storage-1");
            cluster.pause("storage-1");
            try {
                cluster.awaitStatus("others took its place", status -> isWell(status, 3));
                assertThatAllAreReadable(cluster, values);
            } finally {
                cluster.resume("storage-1");
            }

            JsonNode after = cluster.awaitStatus("four peers and all copies again", status -> isWell(status, 4));
            JsonNode back = LocalCluster.storagePeer(after, "storage-1");
            assertThat(cluster.pid("storage-1")).isEqualTo(pid);
            assertThat(back.path("nid").asText())
                    .isEqualTo(LocalCluster.storagePeer(before, "storage-1")
                            .path("nid")
                            .asText());
            assertThat(back.path("epoch").asLong()).isGreaterThan(1);
            // At first it may still ask which of its chunks others have.
            Awaitility.await("ready")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.get("storage-1", "/readyz").statusCode() == 200);
            assertThat(cluster.get("storage-1", "/metrics").body())
                    .contains("granary_storage_incarnations_ended_total 1.0");
            assertThatAllAreReadable(cluster, values);
            cluster.terminate("storage-1");
            assertThat(cluster.log("storage-1")).contains("has stopped exitCode=\"0\"");
        }
    }

    private static boolean isWell(JsonNode status, int peers) {
        return status.at("/totals/livePeers").asInt() == peers
                && status.at("/zones/inSync").asInt() > 0
                && status.at("/zones/degraded").asInt() == 0
                && status.at("/zones/recovering").asInt() == 0;
    }

    private static void assertThatAllAreReadable(LocalCluster cluster, Map<Long, String> values) {
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            values.forEach((cid, value) -> assertThat(new String(client.get(cid), StandardCharsets.UTF_8))
                    .isEqualTo(value));
        }
    }
}
