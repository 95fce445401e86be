package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.GivenNids;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.name.KeptNames;
import dev.granary.superpeer.state.name.LockCommand;
import dev.granary.superpeer.state.name.LockRecord;
import dev.granary.superpeer.state.name.LockResult;
import dev.granary.superpeer.state.name.NameCommand;
import dev.granary.superpeer.state.name.NameResult;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingResult;
import dev.granary.superpeer.state.ring.RingState;
import dev.granary.superpeer.state.ring.RingView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What an arc knows from the reports of storage peers after all its copies were lost. */
class RebuiltArcTest {

    private static final Arc WHOLE = new Arc(Nid.MAX, Nid.MAX);
    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;

    /** A NID that was given and that no report mentions. */
    private static final int GONE = 0x2000;

    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final UUID CLUSTER = new UUID(1, 2);
    private static final long LEASE = 1_000_000_000;

    private static UUID disk(int nid) {
        return new UUID(7, nid);
    }

    private static PeerReport report(
            int nid,
            long epoch,
            long lidLimit,
            List<Holdings.Move> moves,
            List<CidRange> ranges,
            List<CopyList.Held> copies) {
        return report(nid, epoch, lidLimit, 0, moves, ranges, copies);
    }

    private static PeerReport report(
            int nid,
            long epoch,
            long lidLimit,
            long greatestToken,
            List<Holdings.Move> moves,
            List<CidRange> ranges,
            List<CopyList.Held> copies) {
        Holdings head = new Holdings(
                CLUSTER,
                nid,
                disk(nid),
                1000 + nid,
                epoch,
                1,
                lidLimit,
                greatestToken,
                0,
                LEASE,
                5,
                List.of(1),
                List.of(),
                "n" + nid,
                ADDRESS,
                ADDRESS,
                1 << 20,
                "",
                "",
                moves,
                0,
                ranges,
                null);
        return new PeerReport(head, ranges, copies);
    }

    private static CidRange own(int nid, long epoch) {
        return new CidRange(Cid.firstOf(nid), Cid.lastOf(nid), Placement.unreplicated(nid, epoch));
    }

    private static CidRange range(int creator, long first, long last, Placement placement) {
        return new CidRange(Cid.of(creator, first), Cid.of(creator, last), placement);
    }

    private static Placement in(int zone, int owner, long epoch, int... members) {
        return new Placement(owner, members, epoch, zone, PlacementState.IN_SYNC);
    }

    private static CopyList.Held copy(int zone, long epoch, boolean continuous, Integer... members) {
        return new CopyList.Held(zone, epoch, epoch, List.of(members), 9, continuous, true, 100);
    }

    private static Placement at(ArcState state, long cid) {
        return Objects.requireNonNull(state.find(cid)).placement();
    }

    private static ArcState build(PeerReport... reports) {
        return RebuiltArc.build(
                WHOLE, Map.of(GONE, GivenNids.nobody(GONE)), List.of(reports), new KeptNames(WHOLE), 3, LEASE);
    }

    /** When all is lost a second time, storage peers need not have heard of the epochs of the first rebuild. */
    @Test
    void build_twiceFromReportsOfTheSameEpochs_tokensOfLocksRise() {
        long chunk = Cid.of(A, 5);
        LockRecord first = lock(build(report(A, 3, 64, List.of(), List.of(own(A, 17)), List.of())), chunk);
        LockRecord second =
                lock(build(report(A, 3, 64, first.token(), List.of(), List.of(own(A, 17)), List.of())), chunk);
        assertThat(second.token()).isGreaterThan(first.token());
    }

    private static LockRecord lock(ArcState state, long cid) {
        return ((LockResult.Held) state.apply(new LockCommand.Acquire(cid, 9, LEASE))).lock();
    }

    /** The change may have been carried out before all copies of the arc were lost. */
    @Test
    void build_changeOfANameThatWasSentBefore_isNotCarriedOut() {
        ArcState state = build(report(A, 3, 4096, List.of(), List.of(own(A, 17)), List.of()));
        NameCommand repeated = new NameCommand(77, 1, 0, true, "a", Cid.of(A, 5), NameCondition.ALWAYS, 0);
        assertThat(state.apply(repeated)).isEqualTo(new NameResult.OutcomeUnknown());
        assertThat(state.cidOf("a")).isEmpty();
    }

    @Test
    void build_namesThatWereKept_areThereAndTheirVersionsRise() {
        KeptNames kept = new KeptNames(WHOLE);
        NameCopyList.Copy copy = new NameCopyList.Copy(1, Nid.MAX, Nid.MAX, 5, 1L << 60);
        assertThat(kept.choose(List.of(new KeptNames.Source(A, copy)))).hasSize(1);
        kept.lay(WHOLE, List.of(new NameEntry("a", Cid.of(A, 5))));
        ArcState state = RebuiltArc.build(
                WHOLE, Map.of(), List.of(report(A, 3, 64, List.of(), List.of(own(A, 17)), List.of())), kept, 3, LEASE);
        assertThat(state.cidOf("a")).hasValue(Cid.of(A, 5));
        assertThat(state.nameVersion()).isGreaterThan(1L << 60);
    }

    /** The chunks were reported as lost before, so they are not just missing now. */
    @Test
    void build_chunksOfAnEarlierIncarnationThatNobodyHas_areLost() {
        Holdings head = report(A, 3, 900, List.of(), List.of(), List.of()).head();
        Holdings later = new Holdings(
                head.clusterId(),
                A,
                head.diskId(),
                head.incarnation(),
                3,
                500,
                900,
                0,
                0,
                LEASE,
                5,
                List.of(1),
                List.of(),
                "a",
                ADDRESS,
                ADDRESS,
                1 << 20,
                "",
                "",
                List.of(),
                0,
                List.of(),
                null);
        Placement taken = Placement.unreplicated(B, 3);
        ArcState state = build(
                new PeerReport(later, List.of(range(A, 500, 899, Placement.unreplicated(A, 3))), List.of()),
                report(B, 1, 1, List.of(), List.of(range(A, 10, 20, taken)), List.of()));
        assertThat(at(state, Cid.of(A, 9)).state()).isEqualTo(PlacementState.LOST);
        assertThat(at(state, Cid.of(A, 15)).owner()).isEqualTo(B);
        assertThat(at(state, Cid.of(A, 499)).state()).isEqualTo(PlacementState.LOST);
        assertThat(at(state, Cid.of(A, 500)).owner()).isEqualTo(A);
        assertThat(at(state, Cid.of(A, 1000)).owner()).isEqualTo(A);
    }

    @Test
    void build_chunksOfAPeerThatNobodyMentions_areLostUntilItComes() {
        ArcState state = build(report(A, 3, 64, List.of(), List.of(own(A, 17)), List.of()));
        assertThat(at(state, Cid.of(GONE, 5)).state()).isEqualTo(PlacementState.LOST);
        assertThat(state.peer(GONE)).isNull();
        assertThat(state.find(Cid.of(B, 5))).isNull();
        state.apply(new PeerCommand.OpenPeer(
                GONE, disk(GONE), 77, "g", ADDRESS, ADDRESS, 1, 10, "", "", List.of(), 0, null));
        assertThat(at(state, Cid.of(GONE, 5)).owner()).isEqualTo(GONE);
    }

    @Test
    void build_livingPeers_keepIncarnationsAndLidsAtHigherEpochs() {
        ArcState state = build(
                report(A, 3, 4096, List.of(), List.of(own(A, 17)), List.of()),
                report(B, 1, 512, List.of(), List.of(own(B, 1)), List.of()));
        PeerRecord a = Objects.requireNonNull(state.peer(A));
        assertThat(a.epoch()).isEqualTo(3);
        assertThat(a.lidLimit()).isEqualTo(4096);
        assertThat(a.incarnation()).isEqualTo(1000 + A);
        assertThat(a.closed()).isFalse();
        assertThat(at(state, Cid.of(A, 5)).owner()).isEqualTo(A);
        assertThat(at(state, Cid.of(A, 5)).epoch()).isEqualTo(17 + RebuiltArc.EPOCH_LEAP);
        assertThat(state.presentEpoch(A)).isEqualTo(3);
        assertThat(state.leaseNanos()).isEqualTo(LEASE);
    }

    @Test
    void build_zoneOfALivingOwner_keepsMembersThatRanThroughOnly() {
        int zone = BackupZone.id(A, 1);
        Placement placement = in(zone, A, 4, B, C);
        ArcState state = build(
                report(A, 1, 100, List.of(), List.of(range(A, 1, 99, placement)), List.of()),
                report(B, 2, 1, List.of(), List.of(), List.of(copy(zone, 4, true, B, C))),
                report(C, 1, 1, List.of(), List.of(), List.of(copy(zone, 4, false, B, C))));
        ZoneRecord record = Objects.requireNonNull(state.zone(zone));
        assertThat(record.members()).containsExactly(new ZoneMember(B, 2));
        assertThat(record.placement().state()).isEqualTo(PlacementState.DEGRADED);
        assertThat(record.ownerEpoch()).isEqualTo(1);
        assertThat(at(state, Cid.of(A, 7))).isEqualTo(record.placement());
        assertThat(state.zoneNumbersLeft(A)).isEqualTo(BackupZone.MAX_NUMBER - 1);
    }

    @Test
    void build_zoneAtAnotherEpoch_marksItForItsOwner() {
        int zone = BackupZone.id(A, 1);
        PeerReport first = report(A, 1, 100, List.of(), List.of(range(A, 1, 99, in(zone, A, 4))), List.of());
        PeerReport second = report(A, 1, 100, List.of(), List.of(range(A, 1, 99, in(zone, A, 5))), List.of());
        ArcState before = build(first);
        ArcState after = build(second);
        assertThat(before.zonesMark(A)).isNotZero().isEqualTo(build(first).zonesMark(A));
        assertThat(after.zonesMark(A)).isNotZero().isNotEqualTo(before.zonesMark(A));

        ByteBuf part = Unpooled.buffer();
        after.writePart(WHOLE, part);
        ArcState copy = new ArcState();
        copy.readPart(part);
        assertThat(copy.zonesMark(A)).isNotZero().isNotEqualTo(before.zonesMark(A));
    }

    @Test
    void build_twoClaimAChunk_theHigherEpochOwnsIt() {
        Placement stale = Placement.unreplicated(A, 2);
        Placement taken = Placement.unreplicated(B, 3);
        ArcState state = build(
                report(A, 1, 100, List.of(), List.of(range(A, 1, 99, stale)), List.of()),
                report(B, 1, 1, List.of(), List.of(range(A, 10, 20, taken)), List.of()));
        assertThat(at(state, Cid.of(A, 9)).owner()).isEqualTo(A);
        assertThat(at(state, Cid.of(A, 15)).owner()).isEqualTo(B);
        assertThat(at(state, Cid.of(A, 21)).owner()).isEqualTo(A);
    }

    @Test
    void build_ownerThatDoesNotHaveAChunkAnyMore_isLostAndNotGivenToAnEarlierOne() {
        Placement gone = Placement.unreplicated(B, 3);
        ArcState state = build(
                report(A, 1, 100, List.of(), List.of(range(A, 1, 99, gone)), List.of()),
                report(C, 1, 1, List.of(), List.of(range(A, 10, 20, Placement.unreplicated(C, 2))), List.of()),
                report(B, 2, 1, List.of(), List.of(own(B, 2)), List.of()));
        assertThat(at(state, Cid.of(A, 15)).state()).isEqualTo(PlacementState.LOST);
    }

    @Test
    void build_peerWithoutMemory_isClosedAndBeginsAtLidsNobodyCanHaveHad() {
        Placement taken = Placement.unreplicated(B, 3);
        ArcState state = build(
                report(A, 0, 0, List.of(), List.of(), List.of()),
                report(B, 1, 1, List.of(), List.of(range(A, 10, 5000, taken)), List.of()));
        PeerRecord a = Objects.requireNonNull(state.peer(A));
        assertThat(a.closed()).isTrue();
        assertThat(a.firstLid()).isEqualTo(1L << 44);
        assertThat(at(state, Cid.of(A, 10)).owner()).isEqualTo(B);
        assertThat(at(state, Cid.of(A, 9)).state()).isEqualTo(PlacementState.LOST);
        ArcResult opened = state.apply(
                new PeerCommand.OpenPeer(A, disk(A), 77, "a", ADDRESS, ADDRESS, 1, 10, "", "", List.of(), 0, null));
        PeerRecord next = ((ArcResult.Done) opened).peer();
        assertThat(next.firstLid()).isEqualTo(1L << 44);
        assertThat(next.epoch()).isGreaterThan(RebuiltArc.EPOCH_LEAP);
        assertThat(at(state, Cid.of(A, 10)).owner()).isEqualTo(B);
    }

    @Test
    void build_migrationThatBothSidesWaitFor_staysAtTheSource() {
        Holdings.Move out = new Holdings.Move(A, 8, false, B, Cid.of(A, 10), Cid.of(A, 20), 0);
        Holdings.Move in = new Holdings.Move(A, 8, true, A, Cid.of(A, 10), Cid.of(A, 20), 0);
        ArcState state = build(
                report(A, 1, 100, List.of(out), List.of(own(A, 1)), List.of()),
                report(B, 1, 1, List.of(in), List.of(), List.of()));
        assertThat(at(state, Cid.of(A, 15)).owner()).isEqualTo(A);
        assertThat(Objects.requireNonNull(state.migration(A, 8)).state()).isEqualTo(MigrationState.ABORTED);
    }

    @Test
    void build_migrationThatItsSourceKnowsToBeCommitted_isTheTargets() {
        Holdings.Move in = new Holdings.Move(A, 8, true, A, Cid.of(A, 10), Cid.of(A, 20), BackupZone.id(A, 2));
        Placement left = Placement.unreplicated(B, 2);
        ArcState state = build(
                report(A, 1, 100, List.of(), List.of(range(A, 10, 20, left)), List.of()),
                report(B, 1, 1, List.of(in), List.of(), List.of()));
        assertThat(at(state, Cid.of(A, 15)).owner()).isEqualTo(B);
        assertThat(Objects.requireNonNull(state.migration(A, 8)).state()).isEqualTo(MigrationState.COMMITTED);
        assertThat(state.zoneNumbersLeft(A)).isEqualTo(BackupZone.MAX_NUMBER - 2);
    }

    @Test
    void missing_peersThatOthersMention_areNamed() {
        int zone = BackupZone.id(A, 1);
        Set<Integer> missing = RebuiltArc.missing(
                WHOLE,
                Map.of(),
                List.of(report(B, 1, 1, List.of(), List.of(own(B, 1)), List.of(copy(zone, 4, true, B, C)))));
        assertThat(missing).containsExactly(A, C);
    }

    /** The peer may live, and have chunks of which nobody else knows. */
    @Test
    void missing_peersOfThePartThatTheRingKnows_areNamed() {
        Map<Integer, UUID> given = Map.of(A, disk(A), B, disk(B), GONE, GivenNids.nobody(GONE));
        List<PeerReport> reports = List.of(report(B, 1, 1, List.of(), List.of(own(B, 1)), List.of()));
        assertThat(RebuiltArc.missing(WHOLE, given, reports)).containsExactly(A);
        assertThat(RebuiltArc.missing(new Arc(A, Nid.MAX), given, reports)).isEmpty();
    }

    /** The peer has created chunks, and nobody knows which: their identifiers must not be given again. */
    @Test
    void build_peerThatTheRingKnowsAndNobodyMentions_beginsAtLidsNobodyCanHaveHad() {
        ArcState state = RebuiltArc.build(
                WHOLE,
                Map.of(A, disk(A), B, disk(B)),
                List.of(report(B, 1, 64, List.of(), List.of(own(B, 1)), List.of())),
                new KeptNames(WHOLE),
                3,
                LEASE);
        PeerRecord a = Objects.requireNonNull(state.peer(A));
        assertThat(a.closed()).isTrue();
        assertThat(a.diskId()).isEqualTo(disk(A));
        assertThat(a.firstLid()).isEqualTo(1L << 44);
        assertThat(at(state, Cid.of(A, 5)).state()).isEqualTo(PlacementState.LOST);
    }

    @Test
    void build_writtenAndRead_isTheSame() {
        int zone = BackupZone.id(A, 1);
        ArcState state = build(
                report(A, 1, 100, List.of(), List.of(range(A, 1, 99, in(zone, A, 4, B))), List.of()),
                report(B, 2, 1, List.of(), List.of(own(B, 2)), List.of(copy(zone, 4, true, B))));
        ByteBuf bytes = Unpooled.buffer();
        state.writePart(WHOLE, bytes);
        ArcState other = new ArcState();
        other.readPart(bytes);
        assertThat(other.ranges()).isEqualTo(state.ranges());
        assertThat(other.zones()).containsExactlyElementsOf(state.zones());
        assertThat(other.peers()).containsExactlyElementsOf(state.peers());
    }

    private static final int GROUP = SlotGroup.nid(11);
    private static final int GROUP_ZONE = BackupZone.id(GROUP, 4);

    private static PeerReport[] reportsOfAGroup() {
        Placement stale = in(BackupZone.id(GROUP, 3), A, 5, C);
        Placement newest = in(GROUP_ZONE, B, 8, C);
        return new PeerReport[] {
            report(A, 3, 64, List.of(), List.of(own(A, 17), range(GROUP, 1, 65_536, stale)), List.of()),
            report(B, 2, 64, List.of(), List.of(own(B, 2), range(GROUP, 1, 100_000, newest)), List.of()),
            report(C, 4, 64, List.of(), List.of(own(C, 4)), List.of(copy(GROUP_ZONE, 8, true, C)))
        };
    }

    @Test
    void build_slotGroup_isItsNewestOwnersWithItsCopies() {
        ArcState state = build(reportsOfAGroup());
        CidRange group = Objects.requireNonNull(state.slotGroup(GROUP));
        assertThat(group.placement())
                .isEqualTo(new Placement(
                        B, new int[] {C}, 17 + RebuiltArc.EPOCH_LEAP, GROUP_ZONE, PlacementState.DEGRADED));
        assertThat(ArcState.limitOf(group)).isEqualTo(100_001);
        assertThat(state.peer(GROUP)).isNull();
        assertThat(state.presentEpoch(GROUP)).isZero();
        assertThat(state.zoneNumbersLeft(GROUP)).isEqualTo(BackupZone.MAX_NUMBER - 4);
        assertThat(state.apply(new SlotGroupCommand.ExtendSlotGroup(GROUP, B, 2, 100_001, 150_000)))
                .isEqualTo(new RangeResult.Group(group.placement(), 150_000));
    }

    /** Whoever knows of its former owner must believe the next one. */
    @Test
    void build_slotGroupsOfWhichNobodyTells_areLostAndOpenedAtAHigherEpoch() {
        ArcState state = build(reportsOfAGroup());
        assertThat(state.slotGroups()).hasSize(SlotGroup.COUNT);
        int other = SlotGroup.nid(12);
        assertThat(at(state, Cid.firstOf(other)).state()).isEqualTo(PlacementState.LOST);
        RangeResult.Group opened =
                (RangeResult.Group) state.apply(new SlotGroupCommand.OpenSlotGroup(other, A, 3, List.of(), 0));
        assertThat(opened.placement().epoch()).isEqualTo(18 + RebuiltArc.EPOCH_LEAP);
        assertThat(opened.lidLimit()).isEqualTo(SlotGroup.FIRST_LIDS + 1);
        assertThat(build(report(A, 3, 64, List.of(), List.of(own(A, 17)), List.of()))
                        .slotGroups())
                .as("of a cluster without keys")
                .isEmpty();
    }

    @Test
    void build_slotGroupWhoseOwnerIsGone_isLost() {
        PeerReport[] reports = reportsOfAGroup();
        Placement learnt = in(0, B, 8);
        ArcState state = build(
                report(A, 3, 64, List.of(), List.of(own(A, 17), range(GROUP, 1, 100_000, learnt)), List.of()),
                reports[2]);
        CidRange group = Objects.requireNonNull(state.slotGroup(GROUP));
        assertThat(group.placement().state()).isEqualTo(PlacementState.LOST);
        assertThat(ArcState.limitOf(group)).isEqualTo(100_001);
        RangeResult.Group opened =
                (RangeResult.Group) state.apply(new SlotGroupCommand.OpenSlotGroup(GROUP, C, 4, List.of(), 0));
        assertThat(opened.placement().zone()).isEqualTo(BackupZone.id(GROUP, 5));
    }

    @Test
    void build_slotGroupOnItsWayThatItsSourceHasLetGo_isTheTargets() {
        Holdings.Move in = new Holdings.Move(GROUP, 8, true, A, Cid.firstOf(GROUP), Cid.of(GROUP, 65_536), GROUP_ZONE);
        Placement left = Placement.unreplicated(B, 9);
        ArcState state = build(
                report(A, 3, 64, List.of(), List.of(own(A, 17), range(GROUP, 1, 65_536, left)), List.of()),
                report(B, 2, 64, List.of(in), List.of(own(B, 2)), List.of()));
        assertThat(at(state, Cid.of(GROUP, 65_536)).owner()).isEqualTo(B);
        assertThat(Objects.requireNonNull(state.migration(GROUP, 8)).state()).isEqualTo(MigrationState.COMMITTED);
    }

    @Test
    void missing_creatorIsASlotGroup_isNotWaitedFor() {
        Set<Integer> missing = RebuiltArc.missing(WHOLE, Map.of(), List.of(reportsOfAGroup()));
        assertThat(missing).isEmpty();
    }

    @Test
    void givenNids_nidsOfSlotGroups_areNotGiven() {
        List<NidAllocator.Assignment> given = GivenNids.list(Map.of(A, disk(A)), Set.of(GROUP, SlotGroup.nid(0)));
        assertThat(given).noneMatch(each -> SlotGroup.isGroup(each.nid()));
        assertThat(given.stream().filter(each -> Nid.role(each.nid()) == NodeRole.STORAGE_PEER))
                .hasSize(255);
        int last = Nid.storageNid(SlotGroup.END_OF_PEERS - 1);
        assertThat(NidAllocator.restore(GivenNids.list(Map.of(last, disk(last)), Set.of()))
                        .find(disk(last)))
                .hasValue(last);
    }

    @Test
    void build_noEpochsLeft_isRefused() {
        assertThatThrownBy(() -> build(report(A, 1, 2, List.of(), List.of(own(A, Placement.MAX_EPOCH - 5)), List.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("epochs");
    }

    @Test
    void givenNids_whatIsMentionedAndMore_isNeverGivenAgain() {
        List<NidAllocator.Assignment> given = GivenNids.list(Map.of(A, disk(A), C, disk(C)), Set.of(B, 1, 0x8001));
        NidAllocator nids = NidAllocator.restore(given);
        assertThat(nids.find(disk(A))).hasValue(A);
        assertThat(nids.find(disk(C))).hasValue(C);
        int nextStorage = nids.allocate(new UUID(9, 9), NodeRole.STORAGE_PEER);
        int nextSuper = nids.allocate(new UUID(9, 8), NodeRole.SUPER_PEER);
        assertThat(nextStorage).isEqualTo(Nid.storageNid(256));
        assertThat(nextSuper).isEqualTo(Nid.superPeerNid(256));
        RingState ring = new RingState();
        ring.apply(new RingCommand.RebuildRing(1, CLUSTER, 1L << 32, 3, new UUID(9, 8), "s", ADDRESS, ADDRESS, given));
        RingView view = Objects.requireNonNull(ring.view());
        assertThat(view.isBeingRebuilt(nextSuper)).isTrue();
        assertThat(view.epoch()).isEqualTo(1L << 32);
        assertThat(ring.storagePeerCount()).isEqualTo(2);
        int operation = Objects.requireNonNull(view.operation()).id();
        assertThat(ring.apply(new RingCommand.Switch(2, operation))).isEqualTo(new RingResult.Applied());
        RingView after = Objects.requireNonNull(ring.view());
        assertThat(after.isMember(nextSuper)).isTrue();
        assertThat(after.operation()).isNull();
    }
}
