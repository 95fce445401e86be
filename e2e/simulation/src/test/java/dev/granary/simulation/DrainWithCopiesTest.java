package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.overlay.Nid;
import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drains a storage peer that keeps copies for others, where there are just enough peers or too few. */
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
            AsyncClusterAdmin operator = cluster.operator().orElseThrow().admin();
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
            AsyncClusterAdmin operator = cluster.operator().orElseThrow().admin();
            await(cluster, operator.startDrain(cluster.storagePeers().get(4).nid()));
            await(cluster, operator.startDrain(cluster.storagePeers().get(3).nid()));
            assertThat(cluster.simulation().runUntil(() -> false, 30 * SECOND)).isFalse();
            assertThat(await(cluster, operator.plansJson()).toString()).doesNotContain("\"state\":\"running\"");
            cluster.history().check();
        }
    }

    /**
     * What is in flight to a peer when its own drain begins arrives after the drain has looked at what the peer has.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000})
    void drain_peerIsJustTakingWhatAnotherHad_bothOwnNothing(int delayMillis) {
        try (SimulatedCluster cluster =
                new SimulatedCluster(20_261_122, ClusterShape.of(1, 4, 2).withReplicated(true))) {
            cluster.start();
            RecordingClient client = cluster.clients().getFirst();
            StorageMachine first = cluster.storagePeers().get(3);
            await(cluster, client.create(300, Place.on(first.nid())));
            AsyncClusterAdmin operator = cluster.operator().orElseThrow().admin();
            await(cluster, operator.startDrain(first.nid()));
            StorageMachine second = targetOf(cluster, operator);
            // Moving the chunks of the first to the second takes longer than the drain of the second, which has nothing
            // else.
            LinkConditions slow = new LinkConditions(150_000_000, 200_000_000, 0, 0, 0);
            cluster.simulation().network().setConditions(first.name(), second.name(), slow);
            cluster.simulation().runFor(delayMillis * SECOND / 1000);
            await(cluster, operator.startDrain(second.nid()));
            cluster.simulation().runFor(30 * SECOND);

            assertThat(await(cluster, operator.plansJson()).toString()).doesNotContain("\"state\":\"running\"");
            assertThat(chunksOf(cluster, operator, first)).isZero();
            assertThat(chunksOf(cluster, operator, second)).isZero();
            cluster.history().check();
        }
    }

    /** Reads wait neither for the disks of backups nor for the disks of super-peers that commit a move. */
    @Test
    void drain_disksAreSlow_readsDoNotWaitForThem() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(20_261_123, ClusterShape.of(3, 4, 2).withReplicated(true))) {
            cluster.start();
            RecordingClient client = cluster.clients().getFirst();
            StorageMachine leaving = cluster.storagePeers().getFirst();
            long[] cids = await(cluster, client.create(300, Place.on(leaving.nid())));
            cluster.storagePeers().forEach(peer -> peer.node().disk().setSyncTime(SECOND, 2 * SECOND));
            cluster.superPeers().forEach(peer -> peer.node().disk().setSyncTime(SECOND / 50, SECOND / 20));
            AsyncClusterAdmin operator = cluster.operator().orElseThrow().admin();
            await(cluster, operator.startDrain(leaving.nid()));

            List<Long> tookNanos = new ArrayList<>();
            boolean moved = false;
            for (int i = 0; i < 4_000 && !moved; i++) {
                long begun = cluster.simulation().nowNanos();
                assertThat(await(cluster, client.read(cids[i % cids.length])).outcome())
                        .isEqualTo(Outcome.DONE);
                tookNanos.add(cluster.simulation().nowNanos() - begun);
                cluster.simulation().runFor(SECOND / 100);
                moved = i % 50 == 49
                        && await(cluster, operator.plansJson()).toString().contains("\"state\":\"done\"");
            }
            assertThat(moved).isTrue();
            tookNanos.sort(null);
            assertThat(tookNanos.getLast()).as("less than any sync takes").isLessThan(SECOND / 50);
            cluster.history().check();
        }
    }

    private static StorageMachine targetOf(SimulatedCluster cluster, AsyncClusterAdmin operator) {
        Matcher target = Pattern.compile("\"target\":\"(0x[0-9a-f]+)\"")
                .matcher(await(cluster, operator.plansJson()).toString());
        assertThat(target.find()).isTrue();
        return cluster.storagePeers().stream()
                .filter(peer -> peer.nid() == Nid.parse(target.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private static int chunksOf(SimulatedCluster cluster, AsyncClusterAdmin operator, StorageMachine peer) {
        Matcher status = Pattern.compile("\"nid\":\"" + Nid.toHex(peer.nid()) + "\",\"name\".*?\"chunks\":(\\d+)")
                .matcher(await(cluster, operator.statusJson()));
        assertThat(status.find()).isTrue();
        return Integer.parseInt(status.group(1));
    }

    private static void awaitDone(SimulatedCluster cluster, AsyncClusterAdmin operator) {
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
