package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcResult.Reason;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.PeerCommand.CloseLease;
import dev.granary.superpeer.state.PeerCommand.OpenPeer;
import dev.granary.superpeer.state.PeerCommand.ReserveLids;
import dev.granary.superpeer.state.PeerCommand.SetLeaseLength;
import dev.granary.superpeer.state.PeerRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ArcStateTest {

    private static final int NID = 0x8000;
    private static final UUID DISK = new UUID(1, 1);
    private static final UUID OTHER_DISK = new UUID(2, 2);
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final HostAddress HTTP = new HostAddress("p", 7501);
    private static final long BLOCK = 100;

    private final ArcState state = new ArcState();

    private static OpenPeer open(int nid, UUID disk, long incarnation) {
        return new OpenPeer(nid, disk, incarnation, "p", ADDRESS, HTTP, 4096, BLOCK, "", "", List.of(), 0, null);
    }

    private ReserveLids reserve(long incarnation, long limit) {
        PeerRecord known = state.peer(NID);
        return new ReserveLids(NID, incarnation, known == null ? 1 : known.lidLimit(), limit, List.of());
    }

    private PeerRecord done(ArcCommand command) {
        ArcResult result = state.apply(command);
        assertThat(result).isInstanceOf(ArcResult.Done.class);
        return ((ArcResult.Done) result).peer();
    }

    private Reason refused(ArcCommand command) {
        String before = snapshot(state);
        ArcResult result = state.apply(command);
        assertThat(result).isInstanceOf(ArcResult.Refused.class);
        assertThat(snapshot(state)).isEqualTo(before);
        return ((ArcResult.Refused) result).reason();
    }

    private static String snapshot(ArcState state) {
        ByteBuf out = Unpooled.buffer();
        state.writeSnapshot(out);
        return ByteBufUtil.hexDump(out);
    }

    private static ArcState restored(ArcState from) {
        ByteBuf out = Unpooled.buffer();
        from.writeSnapshot(out);
        ArcState to = new ArcState();
        to.readSnapshot(out);
        assertThat(out.isReadable()).isFalse();
        return to;
    }

    /** The same state as after a drain: LIDs that were never reserved are nobody's chunks. */
    @Test
    void ownsItsOwn_allReservedLidsHaveMigrated_no() {
        PeerRecord peer = done(open(NID, DISK, 7));
        assertThat(state.ownsItsOwn(peer)).isTrue();
        migrate(1, 50);
        assertThat(state.ownsItsOwn(peer)).isTrue();
        migrate(51, BLOCK);
        assertThat(state.ownsItsOwn(peer)).isFalse();
        assertThat(state.ownsItsOwn(done(reserve(7, 1 + 2 * BLOCK))))
                .as("more LIDs")
                .isTrue();
    }

    private void migrate(long firstLid, long lastLid) {
        RangeResult.Migration begun = (RangeResult.Migration) state.apply(
                new RangeCommand.BeginMigration(Cid.of(NID, firstLid), Cid.of(NID, lastLid), NID, 1, 0x4000, 1));
        state.apply(new RangeCommand.CommitMigration(NID, begun.record().number(), NID, 1));
    }

    @Test
    void openPeer_first_getsFirstBlockAndItsRange() {
        PeerRecord peer = done(open(NID, DISK, 7));
        assertThat(peer.epoch()).isEqualTo(1);
        assertThat(peer.firstLid()).isEqualTo(1);
        assertThat(peer.lidLimit()).isEqualTo(1 + BLOCK);
        assertThat(state.find(0x8000000000000001L))
                .isEqualTo(new CidRange(Cid.firstOf(NID), Cid.lastOf(NID), Placement.unreplicated(NID, 1)));
        assertThat(state.find(0x8000000000000000L)).isNull();
        assertThat(state.find(Cid.firstOf(0x4000))).isNull();
    }

    @Test
    void openPeer_newIncarnation_higherEpochAndLidsNeverUsed() {
        done(open(NID, DISK, 7));
        done(reserve(7, 1000));
        PeerRecord second = done(open(NID, DISK, 8));
        assertThat(second.epoch()).isEqualTo(2);
        assertThat(second.firstLid()).isEqualTo(1000);
        assertThat(second.lidLimit()).isEqualTo(1000 + BLOCK);
        assertThat(second.fencedIncarnation()).isEqualTo(7);
        assertThat(Objects.requireNonNull(state.find(Cid.firstOf(NID)))
                        .placement()
                        .epoch())
                .isEqualTo(2);
        assertThat(state.rangeCount()).isEqualTo(1);
    }

    @Test
    void openPeer_sameIncarnation_onlyItsAddressesChange() {
        PeerRecord first = done(open(NID, DISK, 7));
        HostAddress moved = new HostAddress("q", 1);
        PeerRecord again = done(new OpenPeer(NID, DISK, 7, "q", moved, HTTP, 1, BLOCK, "", "", List.of(), 0, null));
        assertThat(again.address()).isEqualTo(moved);
        assertThat(again.epoch()).isEqualTo(first.epoch());
        assertThat(again.lidLimit()).isEqualTo(first.lidLimit());
    }

    private static OpenPeer resume(long incarnation, long dumpId) {
        return new OpenPeer(NID, DISK, incarnation, "p", ADDRESS, HTTP, 4096, BLOCK, "", "", List.of(), dumpId, null);
    }

    @Test
    void openPeer_withTheDumpThatItWasParkedWith_isTheSameToAllOthers() {
        done(open(NID, DISK, 7));
        PeerRecord before = done(reserve(7, 1000));
        assertThat(done(new PeerCommand.Park(NID, 7, 77)).parked()).isTrue();
        assertThat(refused(reserve(7, 2000))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        assertThat(refused(open(NID, DISK, 7))).isEqualTo(Reason.FENCED);
        CidRange range = state.find(Cid.firstOf(NID));
        PeerRecord resumed = done(resume(8, 77));
        assertThat(resumed.parked()).isFalse();
        assertThat(resumed.incarnation()).isEqualTo(8);
        assertThat(resumed.fencedIncarnation()).isEqualTo(7);
        assertThat(resumed.epoch()).isEqualTo(before.epoch());
        assertThat(resumed.firstLid()).isEqualTo(before.firstLid());
        assertThat(resumed.lidLimit()).isEqualTo(before.lidLimit());
        assertThat(state.find(Cid.firstOf(NID))).isEqualTo(range);
        assertThat(refused(resume(7, 77))).isEqualTo(Reason.FENCED);
    }

    @Test
    void openPeer_withADumpThatWasUsedOrIsAnother_losesWhatItHad() {
        done(open(NID, DISK, 7));
        done(new PeerCommand.Park(NID, 7, 77));
        PeerRecord other = done(resume(8, 78));
        assertThat(other.epoch()).isEqualTo(2);
        assertThat(other.parked()).isFalse();
        assertThat(other.firstLid()).isEqualTo(1 + BLOCK);
        done(new PeerCommand.Park(NID, 8, 79));
        assertThat(done(resume(9, 79)).epoch()).isEqualTo(2);
        // The process crashed before it had deleted the dump.
        assertThat(done(resume(10, 79)).epoch()).isEqualTo(3);
    }

    @Test
    void closeLease_ofAParkedPeer_endsItsIncarnation() {
        done(open(NID, DISK, 7));
        done(new PeerCommand.Park(NID, 7, 77));
        PeerRecord given = done(new CloseLease(NID, 7));
        assertThat(given.closed()).isTrue();
        assertThat(given.parked()).isFalse();
        assertThat(done(resume(8, 77)).epoch()).isEqualTo(2);
    }

    @Test
    void openPeer_otherDisk_refused() {
        done(open(NID, DISK, 7));
        assertThat(refused(open(NID, OTHER_DISK, 8))).isEqualTo(Reason.OTHER_DISK);
    }

    @Test
    void openPeer_replacedOrClosedIncarnation_refused() {
        done(open(NID, DISK, 7));
        done(open(NID, DISK, 8));
        assertThat(refused(open(NID, DISK, 7))).isEqualTo(Reason.FENCED);
        done(new CloseLease(NID, 8));
        assertThat(refused(open(NID, DISK, 8))).isEqualTo(Reason.ENDED);
        assertThat(done(open(NID, DISK, 9)).closed()).isFalse();
    }

    @Test
    void reserveLids_notThePresentIncarnation_refused() {
        assertThat(refused(reserve(7, 500))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(open(NID, DISK, 7));
        done(open(NID, DISK, 8));
        assertThat(refused(reserve(7, 500))).isEqualTo(Reason.UNKNOWN_INCARNATION);
        done(new CloseLease(NID, 8));
        assertThat(refused(reserve(8, 500))).isEqualTo(Reason.UNKNOWN_INCARNATION);
    }

    @Test
    void reserveLids_lowerThanBefore_limitStays() {
        done(open(NID, DISK, 7));
        assertThat(done(reserve(7, 5)).lidLimit()).isEqualTo(1 + BLOCK);
    }

    @Test
    void lids_allUsed_noFurtherIncarnation() {
        done(open(NID, DISK, 7));
        assertThat(done(reserve(7, Long.MAX_VALUE)).lidLimit()).isEqualTo(Cid.MAX_LID + 1);
        assertThat(refused(open(NID, DISK, 8))).isEqualTo(Reason.LIDS_EXHAUSTED);
    }

    @Test
    void openPeer_blockLongerThanWhatIsLeft_cut() {
        done(open(NID, DISK, 7));
        done(reserve(7, Cid.MAX_LID - 5));
        assertThat(done(open(NID, DISK, 8)).lidLimit()).isEqualTo(Cid.MAX_LID + 1);
    }

    @Test
    void readSnapshot_unknownVersion_refused() {
        assertThatThrownBy(() -> state.readSnapshot(Unpooled.wrappedBuffer(new byte[] {9})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 9");
    }

    @Test
    void writePart_splitAtANid_bothHalvesMakeTheWholeAgain() {
        done(open(0x4000, OTHER_DISK, 3));
        done(open(NID, DISK, 7));
        done(reserve(7, 1000));
        String whole = snapshot(state);
        Arc part = new Arc(0x4001, 0x8001);
        ByteBuf moved = Unpooled.buffer();
        state.writePart(part, moved);
        state.removePart(part);
        assertThat(state.peer(NID)).isNull();
        assertThat(state.find(Cid.firstOf(NID))).isNull();
        assertThat(state.peer(0x4000)).isNotNull();
        assertThat(state.rangeCount()).isEqualTo(1);

        ArcState target = new ArcState();
        target.readPart(moved.duplicate());
        assertThat(target.peers()).extracting(PeerRecord::nid).containsExactly(NID);
        assertThat(target.rangeCount()).isEqualTo(1);

        state.readPart(moved);
        assertThat(snapshot(state)).isEqualTo(whole);
    }

    /**
     * Compares random commands with a very simple model; at random moments the state is rebuilt from a snapshot and the
     * log.
     */
    @Test
    void apply_randomCommands_likeTheModelAndTheSameFromSnapshotAndLog() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int run = 0; run < 100; run++) {
            runModel(random, "seed " + seed + ", run " + run);
        }
    }

    private static void runModel(Random random, String what) {
        ArcState subject = new ArcState();
        ArcState shadow = new ArcState();
        Map<Integer, UUID> disks = new HashMap<>();
        Map<Integer, Long> present = new HashMap<>();
        Map<Integer, Long> limits = new HashMap<>();
        Map<Integer, Set<Long>> ended = new HashMap<>();
        for (int step = 0; step < 120; step++) {
            ArcCommand command = randomCommand(random, subject);
            ByteBuf encoded = Unpooled.buffer();
            subject.encode(command, encoded);
            ArcResult result = subject.apply(command);
            assertThat(shadow.apply(shadow.decode(encoded))).as(what).isEqualTo(result);
            assertThat(snapshot(shadow)).as(what).isEqualTo(snapshot(subject));
            if (random.nextInt(10) == 0) {
                shadow = restored(shadow);
            }
            if (command instanceof OpenPeer open && result instanceof ArcResult.Done done) {
                assertThat(disks.computeIfAbsent(open.nid(), nid -> open.diskId()))
                        .as(what)
                        .isEqualTo(open.diskId());
                Set<Long> over = ended.computeIfAbsent(open.nid(), nid -> new HashSet<>());
                assertThat(over).as(what).isNotNull();
                if (!Objects.equals(present.get(open.nid()), open.incarnation())) {
                    assertThat(done.peer().firstLid()).as(what).isEqualTo(limits.getOrDefault(open.nid(), 1L));
                    Long before = present.put(open.nid(), open.incarnation());
                    if (before != null) {
                        over.add(before);
                    }
                }
            }
            if (result instanceof ArcResult.Done done) {
                long before = limits.getOrDefault(done.peer().nid(), 1L);
                assertThat(done.peer().lidLimit()).as(what).isGreaterThanOrEqualTo(before);
                limits.put(done.peer().nid(), done.peer().lidLimit());
                assertThat(done.peer().incarnation())
                        .as(what)
                        .isEqualTo(present.get(done.peer().nid()));
            }
            assertThat(subject.rangeCount()).as(what).isEqualTo(subject.peers().size());
            for (PeerRecord peer : subject.peers()) {
                CidRange range = Objects.requireNonNull(subject.find(Cid.of(peer.nid(), peer.firstLid())));
                assertThat(range.placement()).as(what).isEqualTo(Placement.unreplicated(peer.nid(), peer.epoch()));
            }
        }
    }

    private static ArcCommand randomCommand(Random random, ArcState state) {
        int nid = (1 + random.nextInt(3)) << 14;
        PeerRecord known = state.peer(nid);
        long from = known == null ? 1 : known.lidLimit() + (random.nextInt(8) == 0 ? 1 : 0);
        long incarnation = 1L + random.nextInt(12);
        return switch (random.nextInt(6)) {
            case 0, 1 ->
                new OpenPeer(
                        nid,
                        random.nextInt(8) == 0 ? OTHER_DISK : DISK,
                        incarnation,
                        "n" + random.nextInt(3),
                        ADDRESS,
                        HTTP,
                        random.nextLong(1000),
                        1 + random.nextInt(50),
                        "",
                        "",
                        List.of(),
                        0,
                        null);
            case 2, 3 -> new ReserveLids(nid, incarnation, from, random.nextLong(2000), List.of());
            case 4 -> new CloseLease(nid, incarnation);
            default -> new SetLeaseLength(1 + random.nextLong(1000));
        };
    }
}
