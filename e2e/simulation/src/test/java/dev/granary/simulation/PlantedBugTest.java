package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.Place;
import dev.granary.simulation.planted.PlantedBugs;
import dev.granary.testkit.HistoryViolation;
import dev.granary.testkit.Operation.Outcome;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The simulator finds what the safety rules prevent. Each scenario goes well as it is, and is caught when a bug is
 * planted by giving a process another world.
 */
class PlantedBugTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long SEED = 77;

    private @Nullable SimulatedCluster running;

    @AfterEach
    void giveBackMemory() {
        if (running != null) {
            running.close();
        }
    }

    @Test
    void leases_areKept_aReplacedPeerServesNothing() {
        replaceAPeerThatIsCutOff(ClusterShape.of(1, 1, 1));
        cluster().history().check();
        assertThat(cluster().history().outcomes()).containsEntry("GET LOST", 1);
    }

    @Test
    void leases_areIgnored_theReplacedPeerIsCaught() {
        replaceAPeerThatIsCutOff(PlantedBugs.named("lease-check-skipped").plant(ClusterShape.of(1, 1, 1)));
        assertThatThrownBy(cluster().history()::check).isInstanceOf(HistoryViolation.class);
    }

    @Test
    void lids_areReservedBeforeUse_noneIsGivenTwice() {
        createRestartCreate(ClusterShape.of(1, 1, 1));
        cluster().history().check();
    }

    @Test
    void lids_beginAnewAfterARestart_theSecondObjectOfACidIsCaught() {
        createRestartCreate(PlantedBugs.named("lid-reused").plant(ClusterShape.of(1, 1, 1)));
        assertThatThrownBy(cluster().history()::check)
                .isInstanceOf(HistoryViolation.class)
                .hasMessageContaining("0x8000000000000001");
    }

    @Test
    void nids_areDurableBeforeTheyAreGiven_noneIsGivenTwice() {
        forgetAPeer(ClusterShape.of(1, 0, 2));
        cluster().history().check();
    }

    @Test
    void nids_areForgotten_theSecondObjectOfACidIsCaught() {
        forgetAPeer(PlantedBugs.named("nid-reused").plant(ClusterShape.of(1, 0, 2)));
        assertThatThrownBy(cluster().history()::check)
                .isInstanceOf(HistoryViolation.class)
                .hasMessageContaining("0x8000000000000001");
    }

    /** Cuts a peer off from its super-peer, but not from a client, and gives its disk to another machine. */
    private void replaceAPeerThatIsCutOff(ClusterShape shape) {
        SimulatedCluster cluster = open(shape);
        cluster.start();
        RecordingClient client = cluster.clients().getFirst();
        long cid = await(client.create(1, Place.anywhere()))[0];
        assertThat(await(client.read(cid)).outcome()).isEqualTo(Outcome.DONE);

        cluster.simulation().network().cutBoth("super-0", "storage-0");
        StorageMachine twin = cluster.addStoragePeer("storage-0-twin");
        twin.node().disk().copyFrom(cluster.simulation().node("storage-0").disk());
        twin.start();
        assertThat(cluster.simulation().runUntil(twin::isReady, 30 * SECOND)).isTrue();
        assertThat(twin.nid()).isEqualTo(0x8000);
        await(client.read(cid));
    }

    /** Lets a peer create a chunk, die, come back, and create another one. */
    private void createRestartCreate(ClusterShape shape) {
        SimulatedCluster cluster = open(shape);
        cluster.start();
        RecordingClient client = cluster.clients().getFirst();
        assertThat(await(client.create(1, Place.anywhere()))).hasSize(1);
        StorageMachine peer = cluster.storagePeers().getFirst();
        peer.kill();
        peer.start();
        assertThat(cluster.simulation().runUntil(peer::isReady, 30 * SECOND)).isTrue();
        assertThat(await(client.create(1, Place.anywhere()))).hasSize(1);
    }

    /**
     * Lets a super-peer give a NID, lose its power, and get a request for a NID from another peer while the first
     * serves.
     */
    private void forgetAPeer(ClusterShape shape) {
        SimulatedCluster cluster = open(shape);
        cluster.start();
        SuperPeerMachine superPeer = cluster.superPeers().getFirst();
        startPeerAndCreate(cluster, "storage-0", cluster.clients().getFirst());
        superPeer.powerOff();
        superPeer.start();
        assertThat(cluster.simulation().runUntil(superPeer::isReady, 30 * SECOND))
                .isTrue();
        cluster.simulation().network().cutBoth("super-0", "storage-0");
        startPeerAndCreate(cluster, "storage-1", cluster.clients().getLast());
    }

    private void startPeerAndCreate(SimulatedCluster cluster, String name, RecordingClient client) {
        StorageMachine peer = cluster.addStoragePeer(name);
        peer.start();
        assertThat(cluster.simulation().runUntil(peer::isReady, 30 * SECOND)).isTrue();
        assertThat(await(client.create(1, Place.on(peer.nid())))).hasSize(1);
    }

    private SimulatedCluster open(ClusterShape shape) {
        running = new SimulatedCluster(SEED, shape);
        return running;
    }

    private SimulatedCluster cluster() {
        return Objects.requireNonNull(running);
    }

    private <T> T await(CompletableFuture<T> future) {
        assertThat(cluster().simulation().runUntil(future::isDone, 30 * SECOND)).isTrue();
        return future.join();
    }
}
