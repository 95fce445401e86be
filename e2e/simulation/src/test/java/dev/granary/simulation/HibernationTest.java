package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.overlay.SlotGroup;
import dev.granary.testkit.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clusters that hibernate, lose their power, and resume where they were (ADR 0120). */
class HibernationTest {

    private static final long SECOND = 1_000_000_000;
    private static final long SEED = 20_261_122;
    private static final int KEYS = 20;

    @ParameterizedTest
    @CsvSource({"1, 1, false", "3, 5, false", "3, 5, true"})
    void hibernate_allMachinesLosePower_nothingIsLostAndNothingRecovered(
            int superPeers, int storagePeers, boolean replicated) {
        try (SimulatedCluster cluster = new SimulatedCluster(
                SEED, ClusterShape.of(superPeers, storagePeers, 2).withReplicated(replicated))) {
            cluster.start();
            List<Long> cids = fill(cluster);
            hibernate(cluster);

            cluster.superPeers().forEach(Machine::powerOff);
            cluster.storagePeers().forEach(Machine::powerOff);
            cluster.recover();

            read(cluster, cids);
            String status = await(cluster, operator(cluster).statusJson());
            assertThat(status).contains("\"epoch\":1,").doesNotContain("\"epoch\":2,", "\"state\":\"parked\"");
            cluster.history().check();
            // A dump that was loaded once is not loaded again.
            cluster.storagePeers().forEach(Machine::kill);
            cluster.recover();
            status = await(cluster, operator(cluster).statusJson());
            assertThat(status).contains("\"epoch\":2,");
        }
    }

    @ParameterizedTest
    @MethodSource("clustersWithKeys")
    void hibernate_clusterWithKeys_keysAreServedAndThoseThatHaveExpiredAreNot(
            int superPeers, int storagePeers, boolean replicated) {
        try (SimulatedCluster cluster = new SimulatedCluster(
                SEED, ClusterShape.of(superPeers, storagePeers, 1).withReplicated(replicated))) {
            cluster.start();
            List<StorageMachine> peers = cluster.storagePeers();
            for (int i = 0; i < KEYS; i++) {
                reply(cluster, i, "SET", "key" + i, "value" + i);
                reply(cluster, i, "SET", "short" + i, "x", "EX", "60");
                reply(cluster, i, "SET", "long" + i, "x", "EX", "3600");
                reply(cluster, i, "SET", "deleted" + i, "x");
                reply(cluster, i, "DEL", "deleted" + i);
            }
            hibernate(cluster);
            cluster.superPeers().forEach(Machine::powerOff);
            peers.forEach(Machine::powerOff);
            cluster.simulation().runFor(100 * SECOND);
            cluster.recover();

            for (int i = 0; i < KEYS; i++) {
                assertThat(reply(cluster, i + 1, "GET", "key" + i)).isEqualTo("value" + i);
                assertThat(reply(cluster, i + 1, "GET", "short" + i)).isEmpty();
                assertThat(reply(cluster, i + 1, "GET", "long" + i)).isEqualTo("x");
                assertThat(reply(cluster, i + 1, "GET", "deleted" + i)).isEmpty();
                reply(cluster, i + 2, "APPEND", "key" + i, "!");
                reply(cluster, i + 2, "SET", "new" + i, "x");
            }
            assertThat(await(cluster, operator(cluster).statusJson()))
                    .contains("\"epoch\":1,")
                    .doesNotContain("\"epoch\":2,", "\"state\":\"parked\"");
            if (replicated) {
                peers.getFirst().kill();
                for (int i = 0; i < KEYS; i++) {
                    assertThat(reply(cluster, 1, "GET", "key" + i)).isEqualTo("value" + i + "!");
                    assertThat(reply(cluster, 1, "GET", "new" + i)).isEqualTo("x");
                }
            }
        }
    }

    private static Stream<Arguments> clustersWithKeys() {
        return LongForm.pick(
                Stream.of(arguments(1, 1, false), arguments(3, 5, true)),
                Stream.of(arguments(1, 1, false), arguments(3, 5, false), arguments(3, 5, true)));
    }

    /** The group has more identifiers than it was opened with. */
    @Test
    void hibernate_groupThatHasGrown_hasAllItsKeys() {
        try (SimulatedCluster cluster = new SimulatedCluster(SEED, ClusterShape.of(1, 2, 1))) {
            cluster.start();
            int keys = SlotGroup.FIRST_LIDS + 3000;
            for (int i = 0; i < keys; i += 1000) {
                List<List<String>> sets = new ArrayList<>();
                for (int j = i; j < i + 1000; j++) {
                    sets.add(List.of("SET", "{tag}" + j, "x"));
                }
                setAll(cluster, sets);
            }
            assertThat(reply(cluster, 0, "DEL", "{tag}0")).isEqualTo(":1");
            hibernate(cluster);
            cluster.storagePeers().forEach(Machine::powerOff);
            cluster.recover();
            for (int i : new int[] {1, SlotGroup.FIRST_LIDS - 1, SlotGroup.FIRST_LIDS, keys - 1}) {
                assertThat(reply(cluster, 1, "GET", "{tag}" + i)).isEqualTo("x");
            }
            setAll(cluster, List.of(List.of("SET", "{tag}0", "x"), List.of("SET", "{tag}more", "x")));
        }
    }

    /** The group gets more identifiers once it has none left. */
    private static void setAll(SimulatedCluster cluster, List<List<String>> sets) {
        for (int attempt = 0; attempt < 10; attempt++) {
            KeyedPeer.Answer answer =
                    await(cluster, new KeyedPeer(cluster.storagePeers().getFirst()).send(List.of(), sets));
            if (answer.isDone() && !answer.text().contains("OOM")) {
                return;
            }
            cluster.simulation().runFor(SECOND / 10);
        }
        throw new AssertionError("the keys are not taken");
    }

    /** Sends a command to one of the storage peers, and returns the text of the reply. */
    private static String reply(SimulatedCluster cluster, int peer, String... command) {
        List<StorageMachine> peers = cluster.storagePeers();
        KeyedPeer.Answer answer = await(cluster, new KeyedPeer(peers.get(peer % peers.size())).send(command));
        assertThat(answer.isDone()).as(answer.text()).isTrue();
        String first = KeyReplies.of(answer.text()).getFirst();
        return first.equals("$-1") ? "" : first.startsWith("$") ? first.substring(1) : first;
    }

    @Test
    void hibernate_onePeerCrashesBeforeItIsParked_othersResumeAndItsChunksAreRecovered() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(SEED, ClusterShape.of(3, 5, 2).withReplicated(true))) {
            cluster.start();
            List<Long> cids = fill(cluster);
            askAll(cluster, Step.REFUSE_CHANGES, cluster.storagePeers());
            askAll(
                    cluster,
                    Step.PARK,
                    cluster.storagePeers().subList(0, cluster.storagePeers().size() - 1));

            cluster.storagePeers().forEach(Machine::powerOff);
            cluster.simulation().runFor(20 * SECOND);
            cluster.recover();
            assertThat(cluster.simulation().runUntil(cluster::copiesAreInSync, 60 * SECOND))
                    .isTrue();

            read(cluster, cids);
            cluster.history().check();
        }
    }

    /** The driver asks only for the last step, so the restarted process was never asked for the first one. */
    @Test
    void hibernate_onePeerBeginsAnewBeforeItIsParked_isParkedAndNothingIsLost() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(SEED, ClusterShape.of(3, 5, 2).withReplicated(true))) {
            cluster.start();
            List<Long> cids = fill(cluster);
            askAll(cluster, Step.REFUSE_CHANGES, cluster.storagePeers());
            StorageMachine last = cluster.storagePeers().getLast();
            askAll(
                    cluster,
                    Step.PARK,
                    cluster.storagePeers().subList(0, cluster.storagePeers().size() - 1));
            last.kill();
            last.startIfDown();
            assertThat(cluster.simulation().runUntil(last::isReady, 60 * SECOND))
                    .isTrue();
            askAll(cluster, Step.PARK, List.of(last));

            cluster.storagePeers().forEach(Machine::powerOff);
            cluster.recover();
            assertThat(cluster.simulation().runUntil(cluster::copiesAreInSync, 60 * SECOND))
                    .isTrue();
            read(cluster, cids);
            cluster.history().check();
        }
    }

    @Test
    void work_afterChangesWereRefused_changesAreTakenAgain() {
        try (SimulatedCluster cluster = new SimulatedCluster(SEED, ClusterShape.of(1, 2, 2))) {
            cluster.start();
            List<Long> cids = fill(cluster);
            askAll(cluster, Step.REFUSE_CHANGES, cluster.storagePeers());
            RecordingClient client = cluster.clients().getFirst();
            assertThat(await(cluster, client.read(cids.getFirst())).outcome()).isEqualTo(Outcome.DONE);
            assertThat(await(cluster, client.put(cids.getFirst())).outcome()).isNotEqualTo(Outcome.DONE);
            askAll(cluster, Step.WORK, cluster.storagePeers());
            read(cluster, cids);
            cluster.history().check();
        }
    }

    private static List<Long> fill(SimulatedCluster cluster) {
        RecordingClient client = cluster.clients().getFirst();
        List<Long> cids = new ArrayList<>();
        for (StorageMachine peer : cluster.storagePeers()) {
            for (long cid : await(cluster, client.create(20, Place.on(peer.nid())))) {
                cids.add(cid);
            }
        }
        return cids;
    }

    private static void read(SimulatedCluster cluster, List<Long> cids) {
        RecordingClient client = cluster.clients().getFirst();
        for (long cid : cids) {
            assertThat(await(cluster, client.read(cid)).outcome()).isEqualTo(Outcome.DONE);
            assertThat(await(cluster, client.put(cid)).outcome()).isEqualTo(Outcome.DONE);
            assertThat(await(cluster, client.read(cid)).outcome()).isEqualTo(Outcome.DONE);
        }
    }

    private static void hibernate(SimulatedCluster cluster) {
        askAll(cluster, Step.REFUSE_CHANGES, cluster.storagePeers());
        askAll(cluster, Step.PARK, cluster.storagePeers());
    }

    /** Asks storage peers for a step until all have taken it. */
    private static void askAll(SimulatedCluster cluster, Step step, List<StorageMachine> peers) {
        for (StorageMachine peer : peers) {
            HibernateReply reply = await(cluster, operator(cluster).hibernate(peer.lastNid(), step));
            for (int i = 0; i < 600 && !reply.done(); i++) {
                cluster.simulation().runFor(SECOND / 10);
                reply = await(cluster, operator(cluster).hibernate(peer.lastNid(), step));
            }
            assertThat(reply.done()).as(reply.toString()).isTrue();
        }
    }

    private static AsyncClusterAdmin operator(SimulatedCluster cluster) {
        return cluster.operator().orElseThrow().admin();
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }
}
