package dev.granary.superpeer.lease;

import static dev.granary.superpeer.SimulatedRing.LEASE_NANOS;
import static dev.granary.superpeer.SimulatedRing.LID_BLOCK;
import static dev.granary.superpeer.SimulatedRing.config;
import static dev.granary.superpeer.SimulatedRing.founder;
import static dev.granary.superpeer.SimulatedRing.withLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.testkit.LinkConditions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ArcServiceTest {

    private static final int NID = 0x8000;
    private static final UUID DISK = new UUID(7, 7);
    private static final HostAddress PEER = new HostAddress("p", 7500);
    private static final PeerStatistics STATISTICS = new PeerStatistics(5, 50, 15, 65, 4096, 0, 0);
    private static final LeaseTerms TERMS = new LeaseTerms(LEASE_NANOS);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SimulatedRing ring = new SimulatedRing();

    private static OpenLease opening(UUID disk, long incarnation) {
        return new OpenLease(NID, disk, incarnation, "p", PEER, new HostAddress("p", 7501), 4096, "", "", 0, null);
    }

    private OpenLeaseReply open(long incarnation) {
        return ring.call("s0", MessageType.OPEN_LEASE, opening(DISK, incarnation));
    }

    private ErrorReply refusedOpen(long incarnation) {
        return ring.refusal("s0", MessageType.OPEN_LEASE, opening(DISK, incarnation));
    }

    private RenewLeaseReply renew(long incarnation, long epoch) {
        return ring.call("s0", MessageType.RENEW_LEASE, new RenewLease(NID, incarnation, epoch, STATISTICS));
    }

    private ErrorCode refusedRenewal(long incarnation, long epoch) {
        return ring.refusal("s0", MessageType.RENEW_LEASE, new RenewLease(NID, incarnation, epoch, STATISTICS))
                .code();
    }

    private long reserve(long incarnation, long wantedLimit) {
        return ring.call("s0", MessageType.RESERVE_LIDS, new ReserveLids(NID, incarnation, 1, wantedLimit))
                .lidLimit();
    }

    private PeerInfo info() {
        List<PeerInfo> peers =
                ring.call("s0", MessageType.LIST_PEERS, new Empty()).peers();
        assertThat(peers).hasSize(1);
        return peers.getFirst();
    }

    private void restartSuperPeer(SuperPeerConfig config) {
        ring.node("s0").powerOff();
        ring.start(config);
        ring.awaitReady("s0");
    }

    @Test
    void openLease_firstTime_leaseEpochAndLids() {
        ring.startRing(1);
        assertThat(open(1))
                .isEqualTo(
                        new OpenLeaseReply(LEASE_NANOS, 1, 1, 1 + LID_BLOCK, 0, false, List.of(reserved(LID_BLOCK))));
        assertThat(ring.metric("s0", "granary_superpeer_leases_granted_total")).isEqualTo(1);
    }

    @Test
    void openLease_sameIncarnationAgain_sameAnswer() {
        ring.startRing(1);
        OpenLeaseReply first = open(1);
        assertThat(open(1)).isEqualTo(first);
    }

    @Test
    void openLease_newIncarnation_onlyAfterTheOldLeaseAndWithLidsNeverUsed() {
        ring.startRing(1);
        open(1);
        reserve(1, 5000);
        ring.runFor(3 * SECOND);
        ErrorReply refusal = refusedOpen(2);
        assertThat(refusal.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(refusal.retryAfterNanos())
                .isLessThanOrEqualTo(TERMS.waitNanos() - 3 * SECOND)
                .isGreaterThan(LEASE_NANOS - 4 * SECOND);
        ring.runFor(refusal.retryAfterNanos());
        OpenLeaseReply second = open(2);
        assertThat(second.epoch()).isEqualTo(2);
        assertThat(second.firstLid()).isGreaterThanOrEqualTo(5000);
        assertThat(second.lidLimit()).isEqualTo(second.firstLid() + LID_BLOCK);
        assertThat(refusedRenewal(1, 1)).isEqualTo(ErrorCode.UNKNOWN_LEASE);
        assertThat(refusedOpen(1).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(info().firstLid()).isEqualTo(second.firstLid());
    }

    @Test
    void openLease_newIncarnationAfterClose_atOnceAlsoOverARestart() {
        ring.startRing(1);
        open(1);
        ring.call("s0", MessageType.CLOSE_LEASE, new CloseLease(NID, 1));
        assertThat(info().live()).isFalse();
        restartSuperPeer(config("s0"));
        assertThat(open(2).epoch()).isEqualTo(2);
    }

    @Test
    void openLease_twoNewIncarnationsInOneInstant_oneIsGrantedAndTheOtherWaits() {
        ring.startRing(1);
        open(1);
        ring.runFor(2 * LEASE_NANOS);
        ring.simulation.network().setConditions(new LinkConditions(100_000, 100_001, 0, 0, 0));
        List<CompletableFuture<OpenLeaseReply>> both =
                ring.sendTogether("s0", MessageType.OPEN_LEASE, List.of(opening(DISK, 2), opening(DISK, 3)));
        assertThat(both.stream().filter(reply -> !reply.isCompletedExceptionally()))
                .hasSize(1);
        assertThat(info().epoch()).isEqualTo(2);
    }

    @Test
    void openLease_otherDisk_refused() {
        ring.startRing(1);
        open(1);
        ErrorReply refusal = ring.refusal("s0", MessageType.OPEN_LEASE, opening(new UUID(1, 2), 9));
        assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal.message()).contains(DISK.toString());
        assertThat(renew(1, 1).lidLimit()).isEqualTo(1 + LID_BLOCK);
    }

    @Test
    void openLease_nidOfASuperPeerOrASlotGroup_refused() {
        ring.startRing(1);
        for (int nid : new int[] {0x8001, SlotGroup.nid(0)}) {
            OpenLease wrong = new OpenLease(nid, DISK, 1, "p", PEER, PEER, 1, "", "", 0, null);
            assertThat(ring.refusal("s0", MessageType.OPEN_LEASE, wrong).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }

    @Test
    void renewLease_inTime_neverExpiresAndReportsStatistics() {
        ring.startRing(1);
        open(1);
        for (int i = 0; i < 20; i++) {
            ring.runFor(LEASE_NANOS / 3);
            assertThat(renew(1, 1).leaseNanos()).isEqualTo(LEASE_NANOS);
        }
        assertThat(info().live()).isTrue();
        assertThat(info().statistics()).isEqualTo(STATISTICS);
        assertThat(info().leaseRemainingNanos()).isBetween(LEASE_NANOS - SECOND, LEASE_NANOS);
        assertThat(ring.metric("s0", "granary_superpeer_leases_expired_total")).isZero();
    }

    @Test
    void renewLease_afterExpiry_sameIncarnationResumes() {
        ring.startRing(1);
        open(1);
        ring.runFor(2 * LEASE_NANOS);
        assertThat(info().live()).isFalse();
        assertThat(ring.status("s0")).contains("\"state\":\"expired\",\"leaseRemainingMillis\":0");
        assertThat(ring.metric("s0", "granary_superpeer_leases_expired_total")).isEqualTo(1);
        renew(1, 1);
        assertThat(info().live()).isTrue();
        assertThat(ring.status("s0")).contains("\"state\":\"live\"");
    }

    @Test
    void renewLease_wrongEpochIncarnationOrNid_unknownLease() {
        ring.startRing(1);
        assertThat(refusedRenewal(1, 1)).isEqualTo(ErrorCode.UNKNOWN_LEASE);
        open(1);
        assertThat(refusedRenewal(1, 2)).isEqualTo(ErrorCode.UNKNOWN_LEASE);
        assertThat(refusedRenewal(2, 1)).isEqualTo(ErrorCode.UNKNOWN_LEASE);
    }

    @Test
    void restart_peerKnown_leaseGoesOnWithoutOpening() {
        ring.startRing(1);
        OpenLeaseReply opened = open(1);
        renew(1, 1);
        restartSuperPeer(config("s0"));
        assertThat(info().live()).isTrue();
        assertThat(renew(1, 1).lidLimit()).isEqualTo(opened.lidLimit());
    }

    @Test
    void restart_longAfterTheLeaseEnded_waitsOneFullLeaseAllTheSame() {
        ring.startRing(1);
        open(1);
        ring.runFor(5 * LEASE_NANOS);
        restartSuperPeer(config("s0"));
        ErrorReply refusal = refusedOpen(2);
        assertThat(refusal.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(refusal.retryAfterNanos()).isGreaterThan(LEASE_NANOS);
        ring.runFor(refusal.retryAfterNanos());
        assertThat(open(2).epoch()).isEqualTo(2);
    }

    @Test
    void restart_withShorterLeases_waitsForTheLongerOnesEvenWhenItDiesAgain() {
        ring.startRing(1);
        open(1);
        SuperPeerConfig shorter = withLease(config("s0"), SECOND);
        restartSuperPeer(shorter);
        restartSuperPeer(shorter);
        assertThat(refusedOpen(2).retryAfterNanos()).isGreaterThan(LEASE_NANOS - SECOND);
        ring.runFor(TERMS.waitNanos() + SECOND);
        assertThat(open(2).leaseNanos()).isEqualTo(SECOND);
        restartSuperPeer(shorter);
        assertThat(refusedOpen(3).retryAfterNanos()).isLessThan(2 * SECOND);
    }

    @Test
    void restart_withLongerLeases_longerWaitAfterTheNextRestart() {
        ring.startRing(1);
        open(1);
        SuperPeerConfig longer = withLease(config("s0"), 3 * LEASE_NANOS);
        restartSuperPeer(longer);
        assertThat(renew(1, 1).leaseNanos()).isEqualTo(3 * LEASE_NANOS);
        restartSuperPeer(config("s0"));
        assertThat(refusedOpen(2).retryAfterNanos()).isGreaterThan(3 * LEASE_NANOS - SECOND);
    }

    @Test
    void pause_longerThanALease_nobodyIsDeclaredExpiredBeforeAFullLease() {
        ring.startRing(1);
        open(1);
        ring.node("s0").pause(5 * LEASE_NANOS);
        ring.runFor(5 * LEASE_NANOS);
        ErrorReply refusal = refusedOpen(2);
        assertThat(refusal.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(refusal.retryAfterNanos()).isGreaterThan(LEASE_NANOS - SECOND);
        assertThat(info().live()).isTrue();
        assertThat(ring.metric("s0", "granary_superpeer_pauses_total")).isEqualTo(1);
        assertThat(ring.metric("s0", "granary_superpeer_leases_expired_total")).isZero();
        ring.runFor(2 * LEASE_NANOS);
        assertThat(info().live()).isFalse();
    }

    @Test
    void reserveLids_wanted_wholeBlocksThatSurvivePowerLoss() {
        ring.startRing(1);
        open(1);
        assertThat(reserve(1, 500)).isEqualTo(1 + LID_BLOCK);
        long limit = reserve(1, 2 + LID_BLOCK);
        assertThat(limit).isEqualTo(1 + 2 * LID_BLOCK);
        assertThat(reserve(1, 10 * LID_BLOCK)).isEqualTo(1 + 10 * LID_BLOCK);
        restartSuperPeer(config("s0"));
        assertThat(renew(1, 1).lidLimit()).isEqualTo(1 + 10 * LID_BLOCK);
    }

    @Test
    void reserveLids_tooManyOrNotPresent_refused() {
        ring.startRing(1);
        open(1);
        ReserveLids tooMany = new ReserveLids(NID, 1, 1, Cid.MAX_LID);
        assertThat(ring.refusal("s0", MessageType.RESERVE_LIDS, tooMany).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        ReserveLids other = new ReserveLids(NID, 2, 1, 5000);
        assertThat(ring.refusal("s0", MessageType.RESERVE_LIDS, other).code()).isEqualTo(ErrorCode.UNKNOWN_LEASE);
    }

    /** Returns the first zone of the peer, which has no copies, as there is no other peer. */
    private static CidRange reserved(long lids) {
        Placement placement = new Placement(NID, new int[0], 1, BackupZone.id(NID, 1), PlacementState.IN_SYNC);
        return new CidRange(Cid.firstOf(NID), Cid.of(NID, lids), placement);
    }

    @Test
    void lookup_knownPeer_wholeRangeAddressAndEpoch() {
        ring.startRing(1);
        open(1);
        LookupReply reply = ring.call("s0", MessageType.LOOKUP, new Lookup(0x8000000000000005L));
        assertThat(reply.range().startCid()).isEqualTo(Cid.firstOf(NID));
        assertThat(reply.range()).isEqualTo(reserved(LID_BLOCK));
        assertThat(reply.ownerAddress()).isEqualTo(PEER);
        assertThat(reply.ringEpoch()).isEqualTo(1);
    }

    @Test
    void lookup_cidOfNobody_notFound() {
        ring.startRing(1);
        open(1);
        for (long cid : new long[] {0, 5, Cid.of(0x4000, 1), Cid.of(NID, 0), Cid.of(0x8001, 1)}) {
            ErrorReply refusal = ring.refusal("s0", MessageType.LOOKUP, new Lookup(cid));
            assertThat(refusal.code()).as(Cid.toHex(cid)).isEqualTo(ErrorCode.NOT_FOUND);
        }
        assertThat(ring.metric("s0", "granary_superpeer_ring_size")).isEqualTo(1);
    }

    @Test
    void requests_otherArc_redirectedWithRingEpoch() {
        ring.startRing(3);
        long epoch = ring.call("s0", MessageType.GET_RING, new Empty()).ring().epoch();
        // 0x8000 lies in (0x4001, 0x8001], the arc of the second super-peer.
        String responsible = ring.superPeer("s1").nid() == 0x8001 ? "s1" : "s2";
        ErrorReply lookup = ring.refusal("s0", MessageType.LOOKUP, new Lookup(Cid.of(NID, 1)));
        assertThat(lookup.code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(lookup.redirect()).isEqualTo(SimulatedRing.address(responsible));
        assertThat(lookup.ringEpoch()).isEqualTo(epoch);
        assertThat(refusedOpen(1).code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(ring.call(responsible, MessageType.OPEN_LEASE, opening(DISK, 1))
                        .epoch())
                .isEqualTo(1);
        assertThat(ring.status("s0")).contains("\"nid\":\"0x8000\"").contains("\"livePeers\":1");
    }

    @Test
    void requests_ringIncomplete_refused() {
        ring.start(founder("s0", 3));
        ring.runFor(20 * SECOND);
        assertThat(refusedOpen(1).code()).isEqualTo(ErrorCode.RING_INCOMPLETE);
        assertThat(ring.refusal("s0", MessageType.LOOKUP, new Lookup(Cid.of(NID, 1)))
                        .code())
                .isEqualTo(ErrorCode.RING_INCOMPLETE);
    }

    @Test
    void unknownRequest_refused() {
        ring.startRing(1);
        MessageType<Empty, Empty> create = new MessageType<>(MessageType.CREATE, "create", Empty.class, Empty.class);
        assertThat(ring.refusal("s0", create, new Empty()).code()).isEqualTo(ErrorCode.BAD_REQUEST);
    }
}
