package dev.granary.e2e.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.Durability;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.e2e.load.Load;
import dev.granary.e2e.load.Probes;
import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Kills storage peers under load, and all of them at once; nothing acknowledged is lost. {@code -Dgranary.kills=100}
 * kills more often in turn, {@code -Dgranary.seed=N} repeats the same kills.
 */
@Tag(Tags.ALONE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DurabilityTest {

    private static final int STORAGE_PEERS = 5;
    private static final int CLIENTS = 2;
    private static final int PROBES = Integer.getInteger("granary.probes", 300);

    /** The pause of clients, which leaves the two cores of a test machine to the cluster. */
    private static final int PAUSE_MILLIS = 2;

    private static final int COPIES = 3;
    private static final int SECONDS_DOWN = 6;
    private static final int KILLS = Integer.getInteger("granary.kills", 6);

    /**
     * Eleven processes share two cores, see {@link LocalCluster#PATIENT_LEASES}; shorter here, because some must end.
     */
    private static final String LEASE = "lease.duration=3s";

    private static final long SEED = Long.getLong("granary.seed", System.nanoTime());

    private final LocalCluster cluster = LocalCluster.up(3, STORAGE_PEERS, LEASE);

    @BeforeEach
    void allIsWell() {
        System.out.println("seed " + SEED + " (-Dgranary.seed=" + SEED + ")");
        bringBack();
    }

    @AfterAll
    void end() {
        cluster.close();
    }

    /** Starts what does not run, and waits for all copies. */
    private void bringBack() {
        cluster.up().ok();
        awaitCopies();
    }

    private void awaitCopies() {
        cluster.awaitStatus(
                "all storage peers and copies",
                status -> status.at("/totals/livePeers").asInt() == STORAGE_PEERS
                        && sum(status, "copies") >= COPIES * sum(status, "zones")
                        && status.at("/zones/degraded").asInt() == 0
                        && status.at("/zones/recovering").asInt() == 0);
    }

    private static int sum(JsonNode status, String field) {
        int sum = 0;
        for (JsonNode peer : status.path("storagePeers")) {
            sum += peer.path(field).asInt();
        }
        return sum;
    }

    private static void assertNothingLost(Load load, Probes probes, List<String> problems) {
        System.out.printf(
                "%d operations; of the longest time that a chunk could not be reached: p50 %d ms, p99 %d ms, longest"
                        + " %d ms%n",
                load.operations(), probes.unservedMillis(50), probes.unservedMillis(99), probes.unservedMillis(100));
        assertThat(load.wrongAnswers()).isEmpty();
        assertThat(problems).filteredOn(text -> text.contains("last get")).isEmpty();
        assertThat(problems)
                .as("operations that ended with an error after all retries")
                .filteredOn(Load::isFailed)
                .isEmpty();
        assertThat(load.operations()).isGreaterThan(100);
    }

    @Test
    void aStoragePeer_killedAgainAndAgainUnderLoad_losesNothingAcknowledged() {
        Random random = new Random(SEED);
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS);
                Probes probes = Probes.start(load, cluster.clientOptions(), PROBES)) {
            for (int i = 0; i < KILLS; i++) {
                load.runFor(2);
                String victim = "storage-" + random.nextInt(STORAGE_PEERS);
                load.note("kill -9 of " + victim);
                cluster.kill(victim);
                load.runFor(SECONDS_DOWN);
                bringBack();
            }
            load.runFor(2);
            assertNothingLost(load, probes, load.stop());
        }
    }

    @Test
    @Tag(Tags.LONG)
    void twoStoragePeersOfFive_killedAtOnceUnderLoad_loseNothingAcknowledged() {
        Random random = new Random(SEED);
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS);
                Probes probes = Probes.start(load, cluster.clientOptions(), PROBES)) {
            load.runFor(2);
            int first = random.nextInt(STORAGE_PEERS);
            int second = (first + 1 + random.nextInt(STORAGE_PEERS - 1)) % STORAGE_PEERS;
            load.note("kill -9 of storage-" + first + " and storage-" + second);
            cluster.killTogether(List.of("storage-" + first, "storage-" + second));
            load.runFor(2 * SECONDS_DOWN);
            bringBack();
            load.runFor(2);
            assertNothingLost(load, probes, load.stop());
        }
    }

    @Test
    void allStoragePeers_killedWithinALeaseAndStartedElsewhere_keepWhatWasSynced() throws InterruptedException {
        Random random = new Random(SEED);
        JsonNode before = cluster.status();
        Map<Long, String> synced = new LinkedHashMap<>();
        Map<Long, String> replicated = new LinkedHashMap<>();
        write(synced, replicated);
        List<String> victims = new ArrayList<>(
                IntStream.range(0, STORAGE_PEERS).mapToObj(i -> "storage-" + i).toList());
        Collections.shuffle(victims, random);
        // With leases of 3 s, some zones at times get another owner before that owner is killed as well.
        long betweenMillis = random.nextInt(1_500);
        System.out.println("kills " + victims + " with " + betweenMillis + " ms between them");
        for (String victim : victims) {
            cluster.kill(victim);
            TimeUnit.MILLISECONDS.sleep(betweenMillis);
        }
        bringBack();
        assertThat(addresses(cluster.status())).doesNotContainAnyElementsOf(addresses(before));
        assertThere(synced, replicated);
    }

    private static Set<String> addresses(JsonNode status) {
        return new TreeSet<>(status.path("storagePeers").findValuesAsText("address"));
    }

    private void write(Map<Long, String> synced, Map<Long, String> replicated) {
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            for (int i = 0; i < 200; i++) {
                String value = "synced " + i;
                synced.put(client.withDurability(Durability.SYNCED).create(value.getBytes(UTF_8)), value);
                String other = "replicated " + i;
                replicated.put(client.withDurability(Durability.REPLICATED).create(other.getBytes(UTF_8)), other);
            }
            // The last change of a value counts, not the first.
            List<Long> cids = new ArrayList<>(synced.keySet());
            for (long cid : cids.subList(0, 50)) {
                String value = "changed " + cid;
                client.withDurability(Durability.SYNCED).put(cid, value.getBytes(UTF_8));
                synced.put(cid, value);
            }
        }
    }

    private void assertThere(Map<Long, String> synced, Map<Long, String> replicated) {
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            List<String> missing = new ArrayList<>();
            synced.forEach((cid, value) -> {
                try {
                    assertThat(new String(client.get(cid), UTF_8)).isEqualTo(value);
                } catch (GranaryException e) {
                    missing.add(Cid.toHex(cid) + ": " + e.getMessage());
                }
            });
            assertThat(missing)
                    .as("synced values that are gone, of %d", synced.size())
                    .isEmpty();
            long kept = replicated.entrySet().stream()
                    .filter(each -> isThere(client, each.getKey(), each.getValue()))
                    .count();
            System.out.println("all " + synced.size() + " synced values returned, and " + kept + " of "
                    + replicated.size() + " replicated ones");
        }
    }

    /** A missing value must be lost or not found, never another value. */
    private static boolean isThere(GranaryClient client, long cid, String value) {
        byte[] found;
        try {
            found = client.get(cid);
        } catch (GranaryException e) {
            return false;
        }
        assertThat(new String(found, UTF_8)).isEqualTo(value);
        return true;
    }
}
