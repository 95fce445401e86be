package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.MigrationMessages.MigrationState;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Chunks of one arc on a storage peer of another arc, which serves at another address than before. */
class MovedPeerTest {

    private static final long SECOND = 1_000_000_000;
    private static final byte[] CONTENT = {1, 2, 3};

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 10 * SECOND)).isTrue();
        return future.join();
    }

    private static long createAndMigrate(SimulatedCluster cluster, int creator, int target) {
        AsyncGranaryClient client = cluster.clients().getFirst().client();
        AsyncClusterAdmin admin = cluster.operator().orElseThrow().admin();
        long cid = await(cluster, client.create(CONTENT, Place.on(creator)));
        var ended = await(cluster, admin.beginMigration(cid, cid, target).thenCompose(admin::awaitMigration));
        assertThat(ended.state()).isEqualTo(MigrationState.COMMITTED);
        return cid;
    }

    /**
     * A super-peer that stands in for another one remembers where the owner of a chunk served, and learns where it
     * serves now.
     */
    @Test
    void get_ownerOfAnotherArcHasMovedAndTheSuperPeerIsDown_found() {
        try (SimulatedCluster cluster = new SimulatedCluster(1, ClusterShape.of(3, 2, 1))) {
            cluster.start();
            int creator = cluster.storagePeer("storage-0").nid();
            int owner = cluster.storagePeer("storage-1").nid();
            SuperPeerMachine arc = cluster.superPeerOf(creator).orElseThrow();
            assertThat(cluster.superPeerOf(owner).orElseThrow()).isNotSameAs(arc);
            long before = createAndMigrate(cluster, creator, owner);
            readWithout(cluster, arc, before, "reader-1");

            StorageMachine old = cluster.storagePeer("storage-1");
            StorageMachine moved = cluster.replaceByTwin("storage-1");
            old.kill();
            moved.start();
            assertThat(cluster.simulation().runUntil(cluster::isReady, 10 * SECOND))
                    .isTrue();
            long after = createAndMigrate(cluster, creator, owner);
            readWithout(cluster, arc, after, "reader-2");
        }
    }

    private static void readWithout(SimulatedCluster cluster, Machine arc, long cid, String reader) {
        arc.kill();
        assertThat(await(cluster, cluster.newClient(reader).client().get(cid))).isEqualTo(CONTENT);
        arc.start();
        assertThat(cluster.simulation().runUntil(cluster::isReady, 10 * SECOND)).isTrue();
    }
}
