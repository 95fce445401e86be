package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Members that come back at other addresses, as replaced pods do. The old addresses drop all packets. */
class MovedMembersTest {

    private static final byte[] VALUE = {1};
    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 1);
    private static final long SECOND_NANOS = 1_000_000_000;

    private final ScriptedCluster cluster = new ScriptedCluster(3);
    private final AsyncGranaryClient client =
            cluster.client(ScriptedCluster.options().withDeadline(Duration.ofSeconds(10)));

    @Test
    void put_allMembersHaveMovedOneAfterTheOther_answeredWithoutAWait() {
        cluster.await(client.put(CID, VALUE));
        for (int nid : cluster.superPeerNids()) {
            cluster.moveSuperPeer(nid);
            cluster.runFor(10 * SECOND_NANOS);
        }
        cluster.moveStoragePeer();
        cluster.runFor(10 * SECOND_NANOS);

        assertThat(putNanos()).isLessThan(SECOND_NANOS / 20);
    }

    @Test
    void put_twoHoldersOfItsArcHaveMovedAMomentAgo_theThirdIsAskedSoon() {
        cluster.await(client.put(CID, VALUE));
        cluster.moveSuperPeer(cluster.superPeerNids().getLast());
        cluster.moveSuperPeer(cluster.superPeerNids().getFirst());
        cluster.moveStoragePeer();

        assertThat(putNanos()).isLessThan(SECOND_NANOS / 2);
    }

    @Test
    void superPeer_doesNotComeBack_theRingIsFetchedRarely() {
        cluster.await(client.put(CID, VALUE));
        int fetched = cluster.asked(MessageType.GET_RING);
        cluster.loseSuperPeer(cluster.superPeerNids().getLast());
        cluster.runFor(60 * SECOND_NANOS);

        assertThat(cluster.asked(MessageType.GET_RING) - fetched).isBetween(8, 20);
    }

    private long putNanos() {
        long begunNanos = cluster.nowNanos();
        cluster.await(client.put(CID, VALUE));
        return cluster.nowNanos() - begunNanos;
    }
}
