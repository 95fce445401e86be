package dev.granary.superpeer.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.state.PeerCommand;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The service of an arc's leases by itself, without Raft. */
class LoneArcServiceTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final long INCARNATION = 7;
    private static final long LEASE_NANOS = SimulatedRing.LEASE_NANOS;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final PeerStatistics STATISTICS = new PeerStatistics(5, 50, 15, 65, 4096, 0, 0);

    private LoneArc arc = new LoneArc(0);
    private int deaths;

    @AfterEach
    void nothingFailed() {
        arc.lone.run(arc.service::end);
        assertThat(arc.lone.failures).isEmpty();
    }

    private void begin() {
        arc.service.onDeath(() -> deaths++);
        arc.lone.answer(MessageType.OPEN_LEASE, arc.service::openLease);
        arc.lone.answer(MessageType.RENEW_LEASE, arc.service::renewLease);
        arc.lone.run(arc::begin);
        arc.lone.runFor(SECOND / 10);
    }

    private static OpenLease opening(int nid) {
        HostAddress address = LoneNode.address("p" + nid);
        return new OpenLease(nid, new UUID(1, nid), INCARNATION, "p", address, address, 4096, "", "", 0, null);
    }

    /** Returns how long the lease is now, in nanoseconds. */
    private long renew(int nid) {
        return arc.lone
                .reply(MessageType.RENEW_LEASE, new RenewLease(nid, INCARNATION, 1, STATISTICS))
                .leaseNanos();
    }

    @Test
    void begin_peersOfAnEarlierLeader_liveForOneMoreLease() {
        arc.open(A, 1);
        arc.open(B, 1);
        begin();
        assertThat(arc.service.isServing()).isTrue();
        assertThat(arc.service.isLive(A)).isTrue();
        assertThat(arc.service.isLive(B)).isTrue();
        arc.lone.runFor(LEASE_NANOS / 2);
        renew(A);
        arc.lone.runFor(LEASE_NANOS * 3 / 4);
        assertThat(arc.service.isLive(A)).isTrue();
        assertThat(arc.service.isLive(B)).isFalse();
        assertThat(deaths)
                .as("nobody has copies of its chunks, so it may go on when it comes back")
                .isZero();
        assertThat(arc.committed).doesNotContain(new PeerCommand.CloseLease(B, INCARNATION));
        assertThat(arc.service.peerInfo(A)).isNotNull().satisfies(info -> {
            assertThat(info.live()).isTrue();
            assertThat(info.statistics()).isEqualTo(STATISTICS);
        });
        assertThat(arc.service.peerInfo(C)).isNull();
    }

    @Test
    void begin_arcIsNew_recordsTheLengthOfItsLeasesBeforeItServes() {
        arc.lone.run(() -> {
            arc.begin();
            assertThat(arc.service.isServing()).isFalse();
        });
        arc.lone.runFor(SECOND / 10);
        assertThat(arc.committed).containsExactly(new PeerCommand.SetLeaseLength(LEASE_NANOS));
        assertThat(arc.service.isServing()).isTrue();
    }

    @Test
    void renewLease_ringHasJustGrown_leasesStayLongForAMinute() {
        arc = growingArc();
        begin();
        assertThat(renew(A)).isEqualTo(2 * LEASE_NANOS);

        arc.ring = LoneArc.ringWith(0x4001, 0x8001);
        for (long grownMillis : new long[] {0, 20_000, 59_999}) {
            arc.grownMillis = grownMillis;
            assertThat(renew(A)).as("after %d ms", grownMillis).isEqualTo(2 * LEASE_NANOS);
        }
        assertThat(arc.committed).containsOnly(new PeerCommand.SetLeaseLength(2 * LEASE_NANOS));
        arc.grownMillis = 60_000;
        assertThat(renew(A)).isEqualTo(LEASE_NANOS);
    }

    @Test
    void renewLease_ringWasSetUp_leasesAreShortAtOnce() {
        arc = growingArc();
        begin();
        arc.ring = LoneArc.ringWith(0x4001, 0x8001);
        assertThat(renew(A)).isEqualTo(LEASE_NANOS);
    }

    /** A part of the arc has moved to a super-peer that has just started. */
    @Test
    void begin_ringHasJustGrownAndLongLeasesAreOut_grantsLongOnes() {
        arc = growingArc();
        arc.state.apply(new PeerCommand.SetLeaseLength(2 * LEASE_NANOS));
        arc.ring = LoneArc.ringWith(0x4001, 0x8001);
        arc.grownMillis = 0;
        begin();
        assertThat(renew(A)).isEqualTo(2 * LEASE_NANOS);
        assertThat(arc.committed).isEmpty();
    }

    private static LoneArc growingArc() {
        LoneArc growing = new LoneArc(SimulatedRing.withAloneLease(
                SimulatedRing.withBackups(SimulatedRing.config("s0"), 0), 2 * LEASE_NANOS));
        growing.open(A, 1);
        return growing;
    }

    @Test
    void openLease_storagePeersOfSomeArcAreUnknown_comesLater() {
        arc = new LoneArc(2);
        arc.reported = List.of();
        begin();
        assertThat(arc.lone.refusal(MessageType.OPEN_LEASE, opening(A)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.state.peers()).isEmpty();
    }

    @Test
    void end_leasesRunOut_nobodyIsDeclaredDead() {
        arc.open(A, 1);
        begin();
        arc.lone.run(arc.service::end);
        arc.lone.runFor(3 * LEASE_NANOS);
        assertThat(deaths).isZero();
        assertThat(arc.committed).doesNotContain(new PeerCommand.CloseLease(A, INCARNATION));
    }
}
