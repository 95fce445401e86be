package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Place;
import dev.granary.testkit.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A storage peer that keeps copies for others is drained where there are just enough peers, or too few. */
class DrainWithCopiesTest {

    private static final long SECOND = 1_000_000_000;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6})
    void drain_peerKeepsCopies_endsAndThePeerCanGo(int peers) {
        try (SimulatedCluster cluster =
                new SimulatedCluster(20_261_121, ClusterShape.of(3, peers, 2).withReplicated(true))) {
            cluster.start();
            RecordingClient client = cluster.clients().getFirst();
            List<Long> cids = new ArrayList<>();
            for (StorageMachine peer : cluster.storagePeers()) {
                for (long cid : await(cluster, client.create(20, Place.on(peer.nid())))) {
                    cids.add(cid);
                }
            }
            StorageMachine leaving = cluster.storagePeers().getFirst();
            AsyncGranaryClient operator = cluster.operator().orElseThrow().client();
            await(cluster, operator.startDrain(leaving.nid()));
            awaitDone(cluster, operator);

            leaving.retire();
            leaving.kill();
            cluster.simulation().runFor(3 * SECOND);

            for (long cid : cids) {
                assertThat(await(cluster, client.read(cid)).outcome()).isEqualTo(Outcome.DONE);
                assertThat(await(cluster, client.put(cid)).outcome()).isEqualTo(Outcome.DONE);
            }
            cluster.history().check();
        }
    }

    @Test
    void drain_twoAtOnce_bothEnd() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(20_261_121, ClusterShape.of(1, 5, 2).withReplicated(true))) {
            cluster.start();
            RecordingClient client = cluster.clients().getFirst();
            for (StorageMachine peer : cluster.storagePeers()) {
                await(cluster, client.create(20, Place.on(peer.nid())));
            }
            AsyncGranaryClient operator = cluster.operator().orElseThrow().client();
            await(cluster, operator.startDrain(cluster.storagePeers().get(4).nid()));
            await(cluster, operator.startDrain(cluster.storagePeers().get(3).nid()));
            assertThat(cluster.simulation().runUntil(() -> false, 30 * SECOND)).isFalse();
            assertThat(await(cluster, operator.plansJson()).toString()).doesNotContain("\"state\":\"running\"");
            cluster.history().check();
        }
    }

    private static void awaitDone(SimulatedCluster cluster, AsyncGranaryClient operator) {
        for (int i = 0; i < 600; i++) {
            String plans = await(cluster, operator.plansJson()).stream().collect(Collectors.joining());
            if (plans.contains("\"state\":\"done\"")) {
                return;
            }
            cluster.simulation().runFor(SECOND / 10);
        }
        throw new AssertionError("the drain has not ended: " + await(cluster, operator.plansJson()));
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }
}
