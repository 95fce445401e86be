package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.testkit.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rebalance plans in whole clusters. */
class PlansTest {

    private static final long SECOND = 1_000_000_000;
    private static final int CHUNKS = 300;

    private final SimulatedCluster cluster = new SimulatedCluster(20_261_122, ClusterShape.of(3, 3, 2));
    private final List<Long> cids = new ArrayList<>();
    private final StorageMachine leaving;
    private final RecordingClient client;

    PlansTest() {
        cluster.start();
        client = cluster.clients().getFirst();
        leaving = cluster.storagePeers().getFirst();
    }

    @BeforeEach
    void create() {
        for (int i = 0; i < CHUNKS / 10; i++) {
            for (long cid : await(client.create(10, Place.on(leaving.nid())))) {
                cids.add(cid);
            }
        }
        assertThat(cids).hasSize(CHUNKS);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void drain_underUse_movesEverythingAndThePeerCanGo() {
        int nid = leaving.nid();
        PlanReply plan = await(operator().startDrain(nid));
        assertThat(plan.moves()).isPositive();
        assertThat(await(operator().startDrain(nid)).number()).as("sent again").isEqualTo(plan.number());
        List<CompletableFuture<?>> meanwhile = new ArrayList<>();
        cids.forEach(cid -> meanwhile.add(client.put(cid)));
        awaitPlan("done");
        meanwhile.forEach(this::await);

        long created = await(client.create(1, Place.anywhere()))[0];
        assertThat(created >>> 48).as("takes no new chunks").isNotEqualTo(nid);
        leaving.retire();
        leaving.kill();

        cids.forEach(cid -> assertThat(await(client.read(cid)).outcome()).isEqualTo(Outcome.DONE));
        cluster.history().check();
    }

    @Test
    void abort_drainUnderWay_endsIt() {
        PlanReply plan = await(operator().startDrain(leaving.nid()));
        await(operator().abortPlan(plan.homeNid(), plan.number()));

        awaitPlan("aborted");
        assertThat(cluster.simulation().runUntil(() -> created(leaving.nid()), 20 * SECOND))
                .isTrue();
        cids.forEach(cid -> assertThat(await(client.read(cid)).outcome()).isEqualTo(Outcome.DONE));
        assertThatThrownBy(() -> await(operator().abortPlan(plan.homeNid(), plan.number())))
                .hasMessageContaining("the plan has ended");
        cluster.history().check();
    }

    private boolean created(int nid) {
        return await(client.create(1, Place.on(nid))).length == 1;
    }

    @Test
    void move_superPeersAreKilledMeanwhile_isDoneInTheEnd() {
        int target = cluster.storagePeers().getLast().nid();
        await(operator().startMove(cids.getFirst(), cids.getFirst() + 200, target));
        for (SuperPeerMachine superPeer : cluster.superPeers()) {
            cluster.simulation().runFor(50_000_000);
            superPeer.kill();
            superPeer.start();
            assertThat(cluster.simulation().runUntil(cluster::isReady, 60 * SECOND))
                    .isTrue();
        }
        awaitPlan("done");
        leaving.kill();
        long moved = cids.getFirst();
        assertThat(await(client.read(moved)).outcome()).isEqualTo(Outcome.DONE);
        cluster.history().check();
    }

    @Test
    void spread_emptyPeer_takesItsShare() {
        StorageMachine taker = cluster.storagePeers().getLast();
        // Super-peers learn with the next renewals what peers hold.
        cluster.simulation().runFor(2 * SECOND);
        PlanReply plan = await(operator().startSpread(taker.nid()));
        assertThat(plan.bytes()).isPositive();
        awaitPlan("done");
        leaving.retire();
        leaving.kill();
        cluster.simulation().runFor(SECOND);
        assertThat(await(client.read(cids.getFirst())).outcome()).isEqualTo(Outcome.DONE);
        cluster.history().check();
    }

    @Test
    void drain_nobodyToTakeIt_isRefusedAndSaysWhy() {
        cluster.storagePeers().stream().filter(peer -> peer != leaving).forEach(Machine::kill);
        cluster.simulation().runFor(5 * SECOND);
        assertThatThrownBy(() -> await(operator().startDrain(leaving.nid())))
                .hasMessageContaining("there is no other storage peer");
    }

    private AsyncClusterAdmin operator() {
        return cluster.operator().orElseThrow().admin();
    }

    private void awaitPlan(String state) {
        for (int i = 0; i < 600; i++) {
            String plans = await(operator().plansJson()).stream().collect(Collectors.joining());
            if (plans.contains("\"state\":\"" + state + "\"")) {
                return;
            }
            cluster.simulation().runFor(SECOND / 10);
        }
        throw new AssertionError("no plan is " + state + ": " + await(operator().plansJson()));
    }

    private <T> T await(CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }
}
