package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Place;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * How often a client asks super-peers while something fails for ten seconds: ten thousand clients may have the same
 * reason.
 */
class RareRefreshTest {

    private static final byte[] VALUE = {1};
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final AsyncGranaryClient client =
            cluster.client(ScriptedCluster.options().withDeadline(DEADLINE));

    @Test
    void create_peerHasNoLeaseForSeconds_itsArcIsAskedRarelyAndNobodyElseIs() {
        for (int i = 0; i < 1000; i++) {
            cluster.errors.add(ErrorReply.of(ErrorCode.NO_LEASE, "has no lease"));
        }
        List<CompletableFuture<Long>> creates = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            creates.add(client.create(VALUE, Place.anywhere()));
        }
        creates.forEach(create -> cluster.await(create.handle((cid, failure) -> failure)));

        assertThat(cluster.changes).as("attempts").hasSizeGreaterThan(400);
        assertThat(cluster.asked(MessageType.ASK_PEER)).isBetween(5, 20);
        assertThat(cluster.asked(MessageType.LIST_PEERS)).isEqualTo(1);
        assertThat(cluster.asked(MessageType.GET_RING)).isEqualTo(1);
    }

    @Test
    void create_nobodyHoldsALease_allAreAskedOnceASecond() {
        cluster.live = false;
        CompletableFuture<Long> create = client.create(VALUE, Place.anywhere());
        cluster.await(create.handle((cid, failure) -> failure));
        assertThat(cluster.asked(MessageType.LIST_PEERS)).isBetween(5, 22);
    }

    private boolean refuseLookups(RpcRequest request) {
        if (request.type() != MessageType.LOOKUP.code()) {
            return false;
        }
        request.fail(ErrorReply.retryLater(0, "nobody answers for the arc"));
        return true;
    }

    @Test
    void get_nobodyAnswersForTheArc_theRingAloneIsFetchedAndRarely() {
        cluster.superPeer = this::refuseLookups;
        List<CompletableFuture<byte[]>> gets = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            gets.add(client.get(Cid.of(ScriptedCluster.STORAGE_NID, 5 + i)));
        }
        gets.forEach(get -> cluster.await(get.handle((value, failure) -> failure)));

        assertThat(cluster.asked(MessageType.LOOKUP)).isGreaterThan(400);
        assertThat(cluster.asked(MessageType.GET_RING)).isBetween(5, 55);
        assertThat(cluster.asked(MessageType.LIST_PEERS)).isEqualTo(1);
    }

    @Test
    void create_viewIsOld_storagePeersThatHaveComeAreSeen() {
        cluster.await(client.create(VALUE, Place.anywhere()));
        cluster.runFor(2 * ClusterDirectory.OLD_VIEW_NANOS);
        cluster.await(client.create(VALUE, Place.anywhere()));
        cluster.runFor(1_000_000_000);
        cluster.await(client.create(VALUE, Place.anywhere()));
        assertThat(cluster.asked(MessageType.LIST_PEERS)).isEqualTo(2);
    }
}
