package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Place;
import dev.granary.client.StorageFullException;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * Creates while storage peers hand over all their chunks and take none. This is planned, so no client may see an error.
 */
class CreateOnLeavingPeersTest {

    private static final byte[] VALUE = {1, 2, 3};
    private static final ErrorReply LEAVING = ErrorReply.of(ErrorCode.DRAINING, "takes no new chunks");

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final AsyncGranaryClient client = cluster.client(ScriptedCluster.options());

    /**
     * While pods are replaced one after the other, a client's list may have only the last one, which is about to go.
     */
    @Test
    void create_allOfAnOldListAreLeaving_looksForOthers() {
        cluster.errors.add(LEAVING);
        cluster.errors.add(LEAVING);
        long cid = cluster.await(client.create(VALUE, Place.anywhere()));
        assertThat(Cid.nid(cid)).isEqualTo(ScriptedCluster.STORAGE_NID);
        assertThat(cluster.changes).hasSize(3);
    }

    @Test
    void create_thereAreNoOthers_failsAndSaysWhy() {
        cluster.drain = PeerInfo.Drain.RUNNING;
        cluster.errors.add(LEAVING);
        assertThatThrownBy(() -> cluster.await(client.create(VALUE, Place.anywhere())))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(StorageFullException.class)
                .hasMessageContaining("takes no new chunks");
        assertThat(cluster.changes).hasSize(1);
    }

    @Test
    void createNear_ownerIsLeaving_takesAnother() {
        cluster.errors.add(LEAVING);
        long cid = cluster.await(client.create(VALUE, Place.near(Cid.of(ScriptedCluster.STORAGE_NID, 1))));
        assertThat(Cid.nid(cid)).isEqualTo(ScriptedCluster.STORAGE_NID);
    }

    @Test
    void createOn_thatPeerIsLeaving_fails() {
        cluster.errors.add(LEAVING);
        assertThatThrownBy(() -> cluster.await(client.create(VALUE, Place.on(ScriptedCluster.STORAGE_NID))))
                .as(Nid.toHex(ScriptedCluster.STORAGE_NID))
                .hasCauseInstanceOf(StorageFullException.class);
        assertThat(cluster.changes).hasSize(1);
    }
}
