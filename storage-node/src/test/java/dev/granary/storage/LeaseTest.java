package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.lease.IncarnationEndedException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How a peer gets, keeps and loses its lease, and what it serves meanwhile ({@link Serving}). */
class LeaseTest {

    private static final byte[] PAYLOAD = {1, 2, 3};
    private static final long SECOND = 1_000_000_000L;

    @Test
    void start_superPeerAnswers_servesAndReports() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);
            peer.advance(SECOND);

            assertThat(cids).containsExactly(0x8000000000000001L);
            assertThat(client.get(cids).getFirst().payload()).isEqualTo(PAYLOAD);
            assertThat(Objects.requireNonNull(peer.superPeer.reported).chunks()).isEqualTo(1);
            assertThat(peer.superPeer.reported.payloadBytes()).isEqualTo(3);
            assertThat(peer.node().statusJson())
                    .contains("\"nid\":\"0x8000\"")
                    .contains("\"valid\":true")
                    .contains("\"chunks\":1");
            assertThat(peer.sample("granary_storage_lease_valid")).isEqualTo(1);
            assertThat(peer.sample("granary_storage_chunks")).isEqualTo(1);
        }
    }

    @Test
    void start_noSuperPeer_waitsSaysSoAndRefuses() {
        HostAddress nobody = new HostAddress("nobody", 1);
        try (NodeFixture peer = new NodeFixture(List.of(nobody)).start()) {
            peer.advance(5 * SECOND);
            RawClient client = peer.client();

            assertThat(peer.node().notReadyReason().orElse(""))
                    .contains("waiting for a NID from the super-peers")
                    .contains(nobody.toString());
            assertThat(client.errorOf(client.getLater(0x8000000000000001L))).isEqualTo(ErrorCode.NO_LEASE);
            assertThat(peer.failures).isEmpty();
        }
    }

    @Test
    void start_firstSeedIsDown_asksTheNext() {
        HostAddress nobody = new HostAddress("nobody", 1);
        try (NodeFixture peer = new NodeFixture(List.of(nobody, NodeFixture.SUPER_PEER)).ready()) {
            assertThat(peer.superPeer.received).contains("open-lease");
        }
    }

    @Test
    void start_redirected_follows() {
        HostAddress gate = new HostAddress("gate", 1);
        try (NodeFixture peer = new NodeFixture(List.of(gate))) {
            RequestHandler redirecting =
                    request -> request.fail(ErrorReply.redirect(NodeFixture.SUPER_PEER, 1, "over there"));
            RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 5);
            peer.world.node("gate").start(started -> {
                var _ = started.transport().listen(gate, new RpcServer(identity, redirecting));
            });
            peer.ready();

            assertThat(peer.superPeer.received).startsWith("assign-nid", "open-lease");
        }
    }

    @Test
    void renewal_inTime_isSentAtAThirdOfTheLease() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.advance(3 * SECOND);

            List<Long> times = peer.superPeer.renewalTimes;
            assertThat(times).hasSizeGreaterThanOrEqualTo(9);
            for (int i = 1; i < times.size(); i++) {
                assertThat(times.get(i) - times.get(i - 1)).isBetween(290_000_000L, 310_000_000L);
            }
        }
    }

    @Test
    void renewal_aRoundThrows_theNextOneKeepsTheLease() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.advance(SECOND);
            int before = peer.superPeer.renewalTimes.size();
            peer.machine.failRounds(1);
            peer.advance(3 * SECOND);

            assertThat(peer.machine.failedRounds()).isEqualTo(1);
            assertThat(peer.superPeer.renewalTimes).hasSizeGreaterThan(before + 5);
            assertThat(peer.node().notReadyReason()).isEmpty();
            assertThat(peer.node().notAliveReason()).isEmpty();
        }
    }

    @Test
    void renewal_everyRoundThrows_thePeerIsNotAliveUntilOneDoesNot() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.machine.failRounds(1_000_000);
            peer.advance(30 * SECOND);
            assertThat(peer.node().notAliveReason()).isEmpty();
            peer.advance(2 * SECOND);

            assertThat(peer.node().notReadyReason()).isPresent();
            assertThat(peer.node().notAliveReason())
                    .hasValueSatisfying(reason -> assertThat(reason).contains("loop 'lease'"));
            peer.machine.failRounds(0);
            peer.ready();
            peer.advance(SECOND);
            assertThat(peer.node().notAliveReason()).isEmpty();
        }
    }

    /** Only this loop finds a copy that its backup has lost, while nothing changes. */
    @Test
    void copyChecks_everyRoundThrows_thePeerIsNotAlive() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.machine.failRounds(1_000_000);
            peer.advance(32 * SECOND);

            assertThat(peer.node().notAliveReason())
                    .hasValueSatisfying(reason -> assertThat(reason).contains("loop 'copy-checks'"));
        }
    }

    /** The disk fills up meanwhile. On a slow disk one step of the cleaner may take minutes. */
    @Test
    void cleanerOfCopies_everyRoundThrows_thePeerIsNotAliveInTheEnd() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.machine.failRounds(1_000_000);
            peer.advance(600 * SECOND);
            assertThat(peer.node().notAliveReason())
                    .hasValueSatisfying(reason -> assertThat(reason).doesNotContain("copy-log-cleaner"));
            peer.advance(32 * SECOND);

            assertThat(peer.node().notAliveReason())
                    .hasValueSatisfying(reason -> assertThat(reason).contains("loop 'copy-log-cleaner'"));
        }
    }

    @Test
    void lease_superPeerUnreachable_endsAtItsTimeAndComesBack() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);
            peer.cutSuperPeer();
            peer.advance(peer.superPeer.leaseNanos);

            assertThat(client.errorOf(client.getLater(cids))).isEqualTo(ErrorCode.NO_LEASE);
            assertThat(client.errorOf(client.createLater(2, 1, PAYLOAD))).isEqualTo(ErrorCode.NO_LEASE);
            assertThat(peer.sample("granary_storage_lease_valid")).isZero();

            peer.world.network().healAll();
            peer.ready();

            assertThat(client.get(cids).getFirst().payload()).isEqualTo(PAYLOAD);
            assertThat(peer.failures).isEmpty();
        }
    }

    @Test
    void lease_countsFromWhenTheRenewalWasSent_notFromItsReply() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.advance(SECOND);
            peer.cutSuperPeer();
            peer.advanceUntil(() -> peer.node().notReadyReason().isPresent());

            // The peer sent the request one latency before it was handled; the test sees the end at most one step late.
            long stepNanos = 1_000_000;
            long end = peer.superPeer.lastGrantNanos - NodeFixture.LATENCY_NANOS + peer.superPeer.leaseNanos;
            assertThat(peer.world.nowNanos() - end).isBetween(0L, stepNanos);
        }
    }

    @Test
    void get_leaseEndsBetweenReadAndReply_showsNothing() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);

            peer.afterMemoryAccess = peer::standStillForALease;
            assertThat(client.errorOf(client.getLater(cids))).isEqualTo(ErrorCode.NO_LEASE);

            peer.afterMemoryAccess = () -> {};
            peer.ready();
            assertThat(client.get(cids).getFirst().payload()).isEqualTo(PAYLOAD);
        }
    }

    @Test
    void put_leaseEndsBeforeReply_isNotConfirmed() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);

            peer.afterMemoryAccess = peer::standStillForALease;

            ErrorReply reply = client.replyOf(client.putLater(2, cids, new byte[] {9}));
            assertThat(reply.code()).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
            assertThat(reply.isRetryable())
                    .as("when asked again, the next owner knows the outcome")
                    .isTrue();
        }
    }

    @Test
    void create_leaseEndsBeforeReply_isNotConfirmed() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            peer.afterMemoryAccess = peer::standStillForALease;

            ErrorReply reply = client.replyOf(client.createLater(1, 0, PAYLOAD));

            assertThat(reply.code()).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
            assertThat(reply.isRetryable())
                    .as("this incarnation may come back, or the next owner of its chunks knows the outcome")
                    .isTrue();
        }
    }

    @Test
    void lease_unknownToTheSuperPeer_isOpenedAgainWithTheSameChunks() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);
            peer.superPeer.knowsLease = false;
            peer.advance(SECOND);
            peer.ready();

            assertThat(client.get(cids).getFirst().payload()).isEqualTo(PAYLOAD);
            assertThat(peer.superPeer.received.stream().filter("open-lease"::equals))
                    .hasSize(2);
        }
    }

    @Test
    void lease_chunksWereGivenUp_stopsForGood() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);
            peer.superPeer.knowsLease = false;
            peer.superPeer.incarnation = 4711;
            peer.advance(SECOND);

            assertThat(peer.failures).hasSize(1).first().asString().contains("has given its chunks up");
            assertThat(peer.causes).first().isInstanceOf(IncarnationEndedException.class);
            assertThat(client.errorOf(client.getLater(cids))).isEqualTo(ErrorCode.NO_LEASE);
        }
    }

    @Test
    void lease_othersHaveTakenItsPlace_stopsForGoodAndMayComeBack() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.superPeer.refusal = ErrorReply.of(ErrorCode.UNKNOWN_LEASE, "no such lease");
            peer.advanceUntil(() -> peer.node().notReadyReason().isPresent());
            peer.superPeer.refusal = ErrorReply.of(ErrorCode.INCARNATION_ENDED, "it was given up");
            peer.advance(SECOND);

            assertThat(peer.failures).hasSize(1).first().asString().contains("it was given up");
            assertThat(peer.causes).first().isInstanceOf(IncarnationEndedException.class);
            assertThat(peer.node().notReadyReason()).isPresent();
        }
    }

    @Test
    void lease_incarnationReplaced_stopsForGood() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.superPeer.refusal = ErrorReply.of(ErrorCode.BAD_REQUEST, "replaced by a later one");
            peer.advance(SECOND);

            assertThat(peer.failures).hasSize(1).first().asString().contains("replaced by a later one");
            assertThat(peer.causes).first().isNotInstanceOf(IncarnationEndedException.class);
            assertThat(peer.node().notReadyReason()).isPresent();
        }
    }

    @Test
    void restart_sameDisk_keepsNidLosesChunksAndNeverReusesLids() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            long[] old = peer.client().create(PAYLOAD);
            long mark = peer.superPeer.lidLimit;

            peer.killAndStart().ready();

            RawClient client = peer.client();
            assertThat(client.get(old).getFirst().result()).isEqualTo(-2);
            assertThat(client.put(old, PAYLOAD)).containsExactly(2);
            assertThat(client.delete(old)).containsExactly(2);
            assertThat(client.create(PAYLOAD)[0]).isEqualTo(0x8000000000000000L + mark);
            assertThat(peer.node().statusJson()).contains("\"lostLidsBelow\":" + mark);
        }
    }

    @Test
    void restart_otherCluster_isRefused() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            UUID other = new UUID(8, 8);
            peer.machine.kill();
            peer.superPeer.join(other);
            peer.killAndStart().advance(SECOND);

            assertThat(peer.failures).hasSize(1).first().asString().contains(other.toString());
        }
    }

    @Test
    void restart_otherNid_isRefused() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.superPeer.givenNid = 0x4000;
            peer.killAndStart().advance(SECOND);

            assertThat(peer.failures).hasSize(1).first().asString().contains("the data directory belongs to");
        }
    }

    @Test
    void stop_orderly_servesNothingThenGivesTheLeaseBack() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            long[] cids = client.create(PAYLOAD);

            peer.stop();

            assertThat(peer.superPeer.received.getLast()).isEqualTo("close-lease");
            assertThat(client.errorOf(client.getLater(cids))).isEqualTo(ErrorCode.SHUTTING_DOWN);
        }
    }

    @Test
    void stop_superPeerUnreachable_takesAFewSecondsAtMost() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.cutSuperPeer();
            long before = peer.world.nowNanos();

            peer.stop();

            assertThat(peer.world.nowNanos() - before).isLessThan(3 * SECOND);
        }
    }
}
