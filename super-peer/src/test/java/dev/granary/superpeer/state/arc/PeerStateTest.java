package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcResult.Reason;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.PeerCommand.CloseLease;
import dev.granary.superpeer.state.PeerCommand.OpenPeer;
import dev.granary.superpeer.state.PeerCommand.Park;
import dev.granary.superpeer.state.PeerCommand.ReserveLids;
import dev.granary.superpeer.state.PeerCommand.RestoreCreator;
import dev.granary.superpeer.state.PeerCommand.SetLeaseLength;
import dev.granary.superpeer.state.PeerRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The storage peers of an arc and the ranges that hear of their changes, without the other parts of the arc. */
class PeerStateTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final UUID DISK = new UUID(1, 1);
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);
    private static final long BLOCK = 100;
    private static final long LID_END = Cid.MAX_LID + 1;

    private final RangeState ranges = new RangeState();
    private final PeerState peers = new PeerState(ranges);

    private static OpenPeer open(int nid, long incarnation, NewZone... zones) {
        return new OpenPeer(
                nid, DISK, incarnation, "p", ADDRESS, ADDRESS, 4096, BLOCK, "m", "z", List.of(zones), 0, null);
    }

    private static NewZone zone(long lids) {
        return new NewZone(lids, List.of(), 0);
    }

    private PeerRecord done(PeerCommand command) {
        ArcResult result = peers.apply(command);
        assertThat(result).isInstanceOf(ArcResult.Done.class);
        return ((ArcResult.Done) result).peer();
    }

    private Reason refused(PeerCommand command) {
        String before = bytes(ALL);
        ArcResult result = peers.apply(command);
        assertThat(result).isInstanceOf(ArcResult.Refused.class);
        assertThat(bytes(ALL)).as("a refusal changes nothing").isEqualTo(before);
        return ((ArcResult.Refused) result).reason();
    }

    private String bytes(Arc within) {
        ByteBuf out = Unpooled.buffer();
        peers.write(within, out);
        ranges.write(within, out);
        return ByteBufUtil.hexDump(out);
    }

    private PeerState readAgain(Arc within) {
        ByteBuf out = Unpooled.buffer();
        peers.write(within, out);
        PeerState read = new PeerState(new RangeState());
        read.read(out);
        assertThat(out.isReadable()).isFalse();
        return read;
    }

    private void useAllZoneNumbers(int nid) {
        ranges.zones().rebuilt(List.of(), Map.of(nid, BackupZone.MAX_NUMBER));
    }

    @Test
    void apply_commandOfAnotherPart_isRefusedWithItsName() {
        RangeCommand other = new RangeCommand.FencePeer(A, 1);
        assertThatThrownBy(() -> peers.apply(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("FencePeer");
    }

    @Test
    void open_moreZonesThanNumbersAreLeft_refusedForNewPeersAndNewIncarnations() {
        ranges.zones().rebuilt(List.of(), Map.of(A, BackupZone.MAX_NUMBER - 1));
        assertThat(refused(open(A, 7, zone(50), zone(50)))).isEqualTo(Reason.ZONES_EXHAUSTED);

        done(open(A, 7, zone(BLOCK)));

        assertThat(refused(open(A, 8, zone(BLOCK)))).isEqualTo(Reason.ZONES_EXHAUSTED);
        assertThat(done(open(A, 7, zone(BLOCK))).lidLimit())
                .as("the same incarnation gets no LIDs and needs no zone")
                .isEqualTo(1 + BLOCK);
    }

    @Test
    void open_noNumbersLeft_anIncarnationWithTheDumpGoesOn() {
        done(open(A, 7));
        done(new Park(A, 7, 77));
        useAllZoneNumbers(A);
        OpenPeer resume =
                new OpenPeer(A, DISK, 8, "q", ADDRESS, ADDRESS, 1, BLOCK, "", "", List.of(zone(BLOCK)), 77, null);

        PeerRecord resumed = done(resume);

        assertThat(resumed.epoch()).isEqualTo(1);
        assertThat(resumed.name()).isEqualTo("q");
        assertThat(resumed.dumpId()).isEqualTo(77);
    }

    @Test
    void open_afterARebuildThatDidNotLearnTheDisk_takesTheDiskOfTheNextIncarnation() {
        PeerRecord known = new PeerRecord(
                A, RebuiltArc.UNKNOWN_DISK, 7, 0, 3, 1, 501, true, false, 0, "p", ADDRESS, ADDRESS, 1, "", "", null);
        peers.rebuilt(List.of(known), 5);
        ranges.peerAdded(A, 3);

        PeerRecord next = done(open(A, 8));

        assertThat(next.diskId()).isEqualTo(DISK);
        assertThat(next.epoch()).isEqualTo(4);
        assertThat(next.firstLid()).isEqualTo(501);
        assertThat(peers.leaseNanos()).isEqualTo(5);
    }

    @Test
    void reserve_fromALimitThatHasMoved_answersWithThePresentOneAndAddsNoZone() {
        done(open(A, 7));
        ReserveLids reserve = new ReserveLids(A, 7, 1 + BLOCK, 1 + 2 * BLOCK, List.of(zone(BLOCK)));
        PeerRecord reserved = done(reserve);
        int left = ranges.zones().numbersLeft(A);

        assertThat(done(reserve)).as("once more").isEqualTo(reserved);

        assertThat(ranges.zones().numbersLeft(A)).isEqualTo(left);
        assertThat(Objects.requireNonNull(ranges.find(Cid.of(A, 1 + BLOCK)))
                        .placement()
                        .zone())
                .isEqualTo(BackupZone.id(A, 1));
    }

    @Test
    void reserve_noNumbersLeft_refusedOnlyWhenItNeedsAZone() {
        done(open(A, 7));
        useAllZoneNumbers(A);
        assertThat(refused(new ReserveLids(A, 7, 1 + BLOCK, 500, List.of(zone(BLOCK)))))
                .isEqualTo(Reason.ZONES_EXHAUSTED);
        assertThat(done(new ReserveLids(A, 7, 1 + BLOCK, 500, List.of())).lidLimit())
                .isEqualTo(500);
    }

    @Test
    void close_twiceOrOfAnotherIncarnation_doneOnceMoreOrRefused() {
        assertThat(refused(new CloseLease(A, 7))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(open(A, 7));
        assertThat(refused(new CloseLease(A, 8))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        PeerRecord closed = done(new CloseLease(A, 7));
        assertThat(done(new CloseLease(A, 7))).isEqualTo(closed);
        assertThat(ranges.presentEpoch(A)).as("its incarnation has ended").isEqualTo(2);
    }

    @Test
    void park_closedOrUnknown_refusedAndOnceMoreTheLastDumpCounts() {
        assertThat(refused(new Park(A, 7, 1))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(open(A, 7));
        assertThat(refused(new Park(A, 8, 1))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(new Park(A, 7, 1));
        assertThat(done(new Park(A, 7, 2)).dumpId()).isEqualTo(2);
        done(new CloseLease(A, 7));
        assertThat(refused(new Park(A, 7, 3))).isEqualTo(Reason.UNKNOWN_INCARNATION);
    }

    @Test
    void restoreCreator_ofNobody_itsFirstIncarnationBeginsBehindTheMark() {
        RestoreCreator restore = new RestoreCreator(A, 0, 501, 9);
        assertThat(peers.apply(restore)).isEqualTo(new ArcResult.Applied());
        String before = bytes(ALL);
        assertThat(peers.apply(restore)).as("once more").isEqualTo(new ArcResult.Applied());
        assertThat(bytes(ALL)).isEqualTo(before);
        assertThat(refused(new RestoreCreator(A, 0, 501, 10))).isEqualTo(Reason.NOT_EMPTY);

        PeerRecord first = done(open(A, 7));

        assertThat(first.firstLid()).isEqualTo(501);
        assertThat(first.epoch()).isEqualTo(1);
    }

    @Test
    void restoreCreator_thatHasUsedAllLids_noIncarnationEver() {
        peers.apply(new RestoreCreator(A, 0, LID_END, 9));
        assertThat(refused(open(A, 7))).isEqualTo(Reason.LIDS_EXHAUSTED);
    }

    @Test
    void restoreCreator_notThePresentIncarnation_refused() {
        assertThat(refused(new RestoreCreator(A, 7, 501, 9)))
                .as("there never was one")
                .isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(open(A, 7));
        assertThat(refused(new RestoreCreator(A, 0, 501, 9))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(new Park(A, 7, 1));
        assertThat(refused(new RestoreCreator(A, 7, 501, 9))).isEqualTo(Reason.UNKNOWN_INCARNATION);
    }

    @Test
    void restoreCreator_ofALivePeer_endsItAndKeepsTheHigherLimit() {
        done(open(A, 7));
        PeerRecord ended = done(new RestoreCreator(A, 7, 5, 9));
        assertThat(ended.closed()).isTrue();
        assertThat(ended.lidLimit()).isEqualTo(1 + BLOCK);
        assertThat(refused(open(A, 7))).isEqualTo(Reason.ENDED);
        assertThat(done(open(A, 8)).firstLid()).isEqualTo(1 + BLOCK);
    }

    @Test
    void creators_peersAndBackups_eachOnceWithinThePieceOnly() {
        done(open(A, 7));
        peers.apply(new RestoreCreator(A, 7, 501, 9));
        peers.apply(new RestoreCreator(B, 0, 33, 9));
        done(open(0x2000, 3));

        assertThat(peers.creators(new Arc(0x3FFF, A)))
                .containsExactly(new CreatorList.Creator(B, 33, 33, 9), new CreatorList.Creator(A, 1, 501, 9));
        assertThat(peers.creators(new Arc(0x1FFF, 0x2000)))
                .containsExactly(new CreatorList.Creator(0x2000, 1, 1 + BLOCK, 0));
    }

    @Test
    void read_partOfAnArc_hasWhatLiesInItAndTheLongerLease() {
        done(open(A, 7));
        done(open(B, 3));
        peers.apply(new RestoreCreator(A, 7, 501, 9));
        peers.apply(new SetLeaseLength(20));

        PeerState part = readAgain(new Arc(B, A));
        assertThat(part.all()).containsExactly(peers.peer(A));
        assertThat(part.creators(ALL)).containsExactly(new CreatorList.Creator(A, 1, 501, 9));
        assertThat(part.leaseNanos()).isEqualTo(20);

        peers.remove(new Arc(B, A));
        assertThat(peers.peer(A)).isNull();
        assertThat(peers.creators(ALL)).extracting(CreatorList.Creator::nid).containsExactly(B);

        ByteBuf shorter = Unpooled.buffer();
        PeerState other = new PeerState(new RangeState());
        other.apply(new SetLeaseLength(10));
        other.write(ALL, shorter);
        peers.read(shorter);
        assertThat(peers.leaseNanos()).as("no lease that is out may be longer").isEqualTo(20);
    }
}
