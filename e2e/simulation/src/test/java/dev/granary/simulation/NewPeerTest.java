package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.view.ClusterView;
import dev.granary.overlay.Cid;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A client that has not heard of a storage peer yet. */
class NewPeerTest {

    private static final long SECOND = 1_000_000_000;

    /** The answer to a look that began before the peer existed does not say that there is no such peer. */
    @Test
    void create_onAPeerThatJoinedDuringALook_succeeds() {
        int oldAnswers = 0;
        for (int micros = 50; micros <= 1000; micros += 50) {
            oldAnswers += joinDuringALook(micros * 1000L) ? 1 : 0;
        }
        assertThat(oldAnswers).as("looks that did not see the peer").isPositive();
    }

    /** A process whose disk is full when it starts ends; Kubernetes starts it again. */
    @Test
    void start_diskIsFull_servesOnceThereIsRoom() {
        try (SimulatedCluster cluster = new SimulatedCluster(6, ClusterShape.of(1, 1, 1))) {
            cluster.start();
            StorageMachine fresh = cluster.addStoragePeer("storage-1");
            fresh.node().disk().setCapacity(200);
            fresh.start();
            assertThat(cluster.simulation().runUntil(() -> fresh.failures() > 2, 5 * SECOND))
                    .isTrue();
            assertThat(fresh.isReady()).isFalse();

            fresh.node().disk().setCapacity(Long.MAX_VALUE);
            assertThat(cluster.simulation().runUntil(fresh::isReady, 5 * SECOND))
                    .isTrue();
        }
    }

    /**
     * Holds up the answers of a look that began {@code begunNanos} ago; returns whether the look misses the new peer.
     */
    private static boolean joinDuringALook(long begunNanos) {
        try (SimulatedCluster cluster = new SimulatedCluster(5, ClusterShape.of(1, 1, 1))) {
            cluster.start();
            AsyncGranaryClient client = cluster.clients().getFirst().client();
            CompletableFuture<ClusterView> connected =
                    AsyncClusterAdmin.of(client).view();
            cluster.simulation().runFor(SECOND);
            assertThat(connected).isCompleted();

            CompletableFuture<ClusterView> look = AsyncClusterAdmin.of(client).view();
            cluster.simulation().runFor(begunNanos);
            cluster.simulation().network().cut("super-0", "client-0");
            StorageMachine fresh = cluster.addStoragePeer("storage-1");
            fresh.start();
            assertThat(cluster.simulation().runUntil(fresh::isReady, SECOND / 4))
                    .isTrue();
            boolean underWay = !look.isDone();
            CompletableFuture<Long> created = client.create(new byte[] {1}, Place.on(fresh.nid()));
            cluster.simulation().network().healAll();
            assertThat(cluster.simulation().runUntil(created::isDone, 10 * SECOND))
                    .isTrue();
            assertThat(created).isCompletedWithValueMatching(cid -> Cid.nid(cid) == fresh.nid());
            return underWay && look.join().peer(fresh.nid()).isEmpty();
        }
    }
}
