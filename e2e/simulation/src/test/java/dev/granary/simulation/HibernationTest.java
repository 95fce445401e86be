package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.testkit.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clusters that hibernate, lose their power, and resume where they were (ADR 0120). */
class HibernationTest {

    private static final long SECOND = 1_000_000_000;
    private static final long SEED = 20_261_122;

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
