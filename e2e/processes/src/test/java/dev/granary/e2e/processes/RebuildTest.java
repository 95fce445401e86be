package dev.granary.e2e.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.ChunkLostException;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All copies of what super-peers knew are lost, and 'granary ring rebuild' rebuilds it from the storage peers. */
class RebuildTest {

    private static final String COPIES = "zone.backups=3";

    /** Creates chunks on each storage peer, migrates one from the first to the second, and returns them by CID. */
    private static Map<Long, String> create(LocalCluster cluster, JsonNode status) {
        Map<Long, String> values = new LinkedHashMap<>();
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            for (String nid : status.path("storagePeers").findValuesAsText("nid")) {
                for (int i = 0; i < 50; i++) {
                    String value = "value " + values.size();
                    values.put(client.create(value.getBytes(UTF_8), Place.on(Nid.parse(nid))), value);
                }
            }
        }
        long moved = values.keySet().stream()
                .filter(cid -> Cid.nid(cid) == nidOf(status, "storage-0"))
                .findFirst()
                .orElseThrow();
        String target = Nid.toHex(nidOf(status, "storage-1"));
        cluster.granary("migrate", Cid.toHex(moved), "--to", target).ok();
        return values;
    }

    private static int nidOf(JsonNode status, String name) {
        return Nid.parse(LocalCluster.storagePeer(status, name).path("nid").asText());
    }

    private static void assertAllReadable(LocalCluster cluster, Map<Long, String> values) {
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            values.forEach((cid, value) -> assertThat(new String(client.get(cid), UTF_8))
                    .as(Cid.toHex(cid))
                    .isEqualTo(value));
        }
    }

    private static void assertNewCidsDiffer(LocalCluster cluster, JsonNode status, Map<Long, String> values) {
        Set<Long> all = new HashSet<>(values.keySet());
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            for (String nid : status.path("storagePeers").findValuesAsText("nid")) {
                for (int i = 0; i < 50; i++) {
                    long cid = client.create("new".getBytes(UTF_8), Place.on(Nid.parse(nid)));
                    assertThat(all.add(cid))
                            .as("%s is given once", Cid.toHex(cid))
                            .isTrue();
                }
            }
            long changed = values.keySet().iterator().next();
            client.put(changed, "changed".getBytes(UTF_8));
            assertThat(new String(client.get(changed), UTF_8)).isEqualTo("changed");
        }
    }

    /** Names the chunks, and removes some of the names again. */
    private static Map<String, Long> name(LocalCluster cluster, Set<Long> cids) {
        Map<String, Long> names = new LinkedHashMap<>();
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            for (long cid : cids) {
                String name = "name/" + names.size();
                client.names().put(name, cid);
                client.names().put(name + "/gone", cid);
                client.names().remove(name + "/gone");
                names.put(name, cid);
            }
        }
        return names;
    }

    /** Nothing was changed in the last moments before the loss, so all names are as they were. */
    private static void assertNames(LocalCluster cluster, Map<String, Long> names) {
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            Map<String, Long> found = new LinkedHashMap<>();
            client.names().list("name/").forEach(each -> found.put(each.name(), each.cid()));
            assertThat(found).containsExactlyInAnyOrderEntriesOf(names);
            client.names().put("name/new", names.values().iterator().next());
            assertThat(client.names().get("name/new")).isPresent();
        }
    }

    private static JsonNode awaitLive(LocalCluster cluster, int storagePeers, int superPeers) {
        return cluster.awaitStatus(
                "all live on a ring of " + superPeers,
                status -> status.at("/totals/livePeers").asInt() == storagePeers
                        && status.at("/ring/size").asInt() == superPeers
                        && !status.at("/ring/superPeers")
                                .findValuesAsText("arcServedBy")
                                .contains(""));
    }

    @Test
    void allSuperPeers_killedWithTheirDisks_everyChunkIsReadableAgainAndNoCidIsGivenTwice() {
        try (LocalCluster cluster = LocalCluster.up(3, 4, COPIES, LocalCluster.PATIENT_LEASES)) {
            JsonNode before = awaitLive(cluster, 4, 3);
            Map<Long, String> values = create(cluster, before);
            Map<String, Long> names = name(cluster, values.keySet());
            for (int i = 0; i < 3; i++) {
                cluster.kill("super-peer-" + i);
                cluster.loseDisk("super-peer-" + i);
            }

            cluster.grouped("ring", "rebuild").ok();

            JsonNode after = awaitLive(cluster, 4, 3);
            assertThat(after.at("/ring/events").findValuesAsText("kind")).contains("rebuilt");
            assertThat(after.path("clusterId")).isEqualTo(before.path("clusterId"));
            assertThat(after.path("storagePeers").findValuesAsText("nid"))
                    .isEqualTo(before.path("storagePeers").findValuesAsText("nid"));
            assertThat(after.path("storagePeers").findValuesAsText("epoch"))
                    .isEqualTo(before.path("storagePeers").findValuesAsText("epoch"));
            assertThat(after.at("/ring/superPeers").findValuesAsText("nid"))
                    .doesNotContainAnyElementsOf(before.at("/ring/superPeers").findValuesAsText("nid"));
            assertAllReadable(cluster, values);
            assertNewCidsDiffer(cluster, after, values);
            assertNames(cluster, names);
        }
    }

    @Test
    @Tag(Tags.LONG)
    void allSuperPeersAndAStoragePeer_killed_nothingIsRebuiltBeforeItsLossIsAccepted() {
        try (LocalCluster cluster = LocalCluster.up(3, 4, COPIES, LocalCluster.PATIENT_LEASES)) {
            JsonNode before = awaitLive(cluster, 4, 3);
            Map<Long, String> values = create(cluster, before);
            int victim = nidOf(before, "storage-3");
            for (int i = 0; i < 3; i++) {
                cluster.kill("super-peer-" + i);
                cluster.loseDisk("super-peer-" + i);
            }
            cluster.kill("storage-3");

            Commands.Outcome refused = cluster.grouped("ring", "rebuild", "--timeout", "15");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err()).contains("waiting for");
            cluster.grouped("ring", "rebuild", "--accept-loss").ok();

            awaitLive(cluster, 3, 3);
            Map<Long, String> kept = new LinkedHashMap<>(values);
            kept.keySet().removeIf(cid -> Cid.nid(cid) == victim);
            assertAllReadable(cluster, kept);
            try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
                for (long cid : values.keySet()) {
                    if (Cid.nid(cid) == victim) {
                        assertThatThrownBy(() -> client.get(cid)).isInstanceOf(ChunkLostException.class);
                    }
                }
            }
        }
    }

    @Test
    @Tag(Tags.LONG)
    void twoSuperPeersOfFive_killedWithTheirDisks_arcsWithoutAMajorityAreRebuilt() {
        try (LocalCluster cluster = LocalCluster.up(5, 3, COPIES, LocalCluster.PATIENT_LEASES)) {
            JsonNode before = awaitLive(cluster, 3, 5);
            Map<Long, String> values = create(cluster, before);
            List<String> ring = before.at("/ring/superPeers").findValuesAsText("name");
            String first = ring.get(2);
            String second = ring.get(3);
            for (String name : List.of(first, second)) {
                cluster.kill(name);
                cluster.loseDisk(name);
            }

            cluster.grouped("ring", "rebuild").ok();

            JsonNode after = awaitLive(cluster, 3, 5);
            // The arc of the first one, and the arc of the super-peer before it.
            assertThat(after.at("/ring/events").findValuesAsText("kind").stream()
                            .filter("rebuilt"::equals))
                    .hasSizeGreaterThanOrEqualTo(2);
            assertThat(after.path("clusterId")).isEqualTo(before.path("clusterId"));
            assertAllReadable(cluster, values);
            assertNewCidsDiffer(cluster, after, values);
        }
    }
}
