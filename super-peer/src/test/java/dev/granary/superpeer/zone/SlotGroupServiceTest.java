package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.ExtendSlotGroup;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupLimit;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlotGroupServiceTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int GROUP = SlotGroup.nid(7);
    private static final long FIRST_LIMIT = SlotGroup.FIRST_LIDS + 1;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneArc arc = new LoneArc(2);

    SlotGroupServiceTest() {
        for (int nid : new int[] {A, B, C}) {
            arc.serve(nid, new Answers());
        }
        begin(arc);
    }

    private static void begin(LoneArc of) {
        SlotGroupService groups = new SlotGroupService(of.state, of::commit, of.service, of.catalog, of.planner);
        of.lone.answer(MessageType.OPEN_SLOT_GROUP, groups::openSlotGroup);
        of.lone.answer(MessageType.EXTEND_SLOT_GROUP, groups::extendSlotGroup);
        of.lone.run(of::begin);
        of.lone.runFor(SECOND);
        of.committed.clear();
    }

    @AfterEach
    void nothingFailed() {
        assertThat(arc.lone.failures).isEmpty();
    }

    private SlotGroupPlace open(int owner, long epoch) {
        return arc.lone.reply(MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(GROUP, owner, epoch));
    }

    private ErrorCode refusedOpen(int group, int owner, long epoch) {
        return arc.lone
                .refusal(MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(group, owner, epoch))
                .code();
    }

    private SlotGroupLimit extend(long known, long wanted) {
        return arc.lone.reply(MessageType.EXTEND_SLOT_GROUP, new ExtendSlotGroup(GROUP, A, 1, known, wanted));
    }

    private ErrorCode refusedExtend(int group, int owner, long epoch) {
        return arc.lone
                .refusal(MessageType.EXTEND_SLOT_GROUP, new ExtendSlotGroup(group, owner, epoch, FIRST_LIMIT, 70_000))
                .code();
    }

    @Test
    void openSlotGroup_nobodyHasIt_isTheCallersWithCopiesOnOthers() {
        SlotGroupPlace place = open(A, 1);
        Placement placement = Objects.requireNonNull(place.placement());
        assertThat(placement.owner()).isEqualTo(A);
        assertThat(placement.backups()).containsExactlyInAnyOrder(B, C);
        assertThat(placement.state()).isEqualTo(PlacementState.IN_SYNC);
        assertThat(placement.zone()).isEqualTo(BackupZone.id(GROUP, 1));
        assertThat(place.lidLimit()).isEqualTo(FIRST_LIMIT);
        assertThat(place.nid()).isEqualTo(A);
        assertThat(place.address()).isEqualTo(LoneNode.address("p" + A));

        assertThat(open(A, 1)).as("once more").isEqualTo(place);
        assertThat(open(B, 1)).as("by another peer").isEqualTo(place);
        assertThat(open(Nid.NONE, 0)).as("by one that does not want it").isEqualTo(place);
        assertThat(arc.committed).hasSize(1);
    }

    @Test
    void openSlotGroup_withoutAnOwner_namesWhoShouldOpenItAndChangesNothing() {
        SlotGroupPlace place = open(Nid.NONE, 0);
        assertThat(place.placement()).isNull();
        assertThat(place.lidLimit()).isZero();
        assertThat(place.nid()).isIn(A, B, C);
        assertThat(place.address()).isEqualTo(LoneNode.address("p" + place.nid()));
        assertThat(open(Nid.NONE, 0)).isEqualTo(place);
        assertThat(arc.committed).isEmpty();

        for (int nid : new int[] {A, B, C}) {
            arc.report(nid, 1, nid == B, nid == C ? PeerInfo.Drain.RUNNING : PeerInfo.Drain.NONE);
        }
        assertThat(open(Nid.NONE, 0).nid()).as("the others are dead or leave").isEqualTo(B);
        arc.report(B, 1, false, PeerInfo.Drain.NONE);
        assertThat(open(Nid.NONE, 0)).isEqualTo(new SlotGroupPlace(null, 0, false, Nid.NONE, null));
    }

    @Test
    void openSlotGroup_manyGroups_areSpreadOverTheStoragePeers() {
        Map<Integer, Integer> counts = new TreeMap<>();
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            OpenSlotGroup ask = new OpenSlotGroup(SlotGroup.nid(group), Nid.NONE, 0);
            counts.merge(arc.lone.reply(MessageType.OPEN_SLOT_GROUP, ask).nid(), 1, Integer::sum);
        }
        assertThat(counts).containsOnlyKeys(A, B, C);
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(65, 106));
    }

    @Test
    void openSlotGroup_itWasLost_isOpenedAgain() {
        open(A, 1);
        arc.state.apply(new RangeCommand.FencePeer(B, 2));
        arc.state.apply(new RangeCommand.FencePeer(C, 2));
        arc.state.apply(new RangeCommand.FencePeer(A, 2));
        assertThat(Objects.requireNonNull(open(B, 2).placement()).state()).isEqualTo(PlacementState.RECOVERING);
        arc.state.apply(new ZoneCommand.LoseZones(GROUP, List.of(new ZoneCommand.ZoneAt(BackupZone.id(GROUP, 1), 2))));
        assertThat(open(Nid.NONE, 0).placement()).as("nobody has it").isNull();

        Placement again = Objects.requireNonNull(open(B, 2).placement());
        assertThat(again.owner()).isEqualTo(B);
        assertThat(again.epoch()).isEqualTo(4);
    }

    @Test
    void openSlotGroup_whatCannotBe_isRefused() {
        assertThat(refusedOpen(A, B, 1)).as("no group").isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedOpen(GROUP, SlotGroup.nid(8), 1))
                .as("a group as owner")
                .isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedOpen(GROUP, 0x0001, 1)).as("a super-peer").isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedOpen(GROUP, A, 0)).isEqualTo(ErrorCode.BAD_REQUEST);
        arc.report(C, 1, true, PeerInfo.Drain.RUNNING);
        assertThat(refusedOpen(GROUP, C, 1)).isEqualTo(ErrorCode.DRAINING);
        assertThat(arc.committed).isEmpty();
        arc.state.apply(new RangeCommand.FencePeer(A, 2));
        assertThat(refusedOpen(GROUP, A, 1)).as("it has ended").isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void openSlotGroup_storagePeersOfSomeArcAreUnknown_comesLater() {
        LoneArc fresh = new LoneArc(2);
        fresh.reported = List.of();
        begin(fresh);
        for (int owner : new int[] {Nid.NONE, A}) {
            OpenSlotGroup ask = new OpenSlotGroup(GROUP, owner, owner == A ? 1 : 0);
            assertThat(fresh.lone.refusal(MessageType.OPEN_SLOT_GROUP, ask).code())
                    .isEqualTo(ErrorCode.RETRY_LATER);
        }
        assertThat(fresh.committed).isEmpty();
    }

    @Test
    void extendSlotGroup_byItsOwner_growsOnce() {
        Placement placement = Objects.requireNonNull(open(A, 1).placement());
        assertThat(extend(FIRST_LIMIT, 100_000)).isEqualTo(new SlotGroupLimit(placement, 100_000));
        assertThat(extend(FIRST_LIMIT, 120_000)).as("once more").isEqualTo(new SlotGroupLimit(placement, 100_000));
        assertThat(open(A, 1).lidLimit()).isEqualTo(100_000);
    }

    @Test
    void extendSlotGroup_whatCannotBe_isRefused() {
        assertThat(refusedExtend(GROUP, A, 1)).as("never opened").isEqualTo(ErrorCode.NOT_FOUND);
        open(A, 1);
        assertThat(refusedExtend(GROUP, B, 1)).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusedExtend(A, A, 1)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedExtend(GROUP, A, 0)).isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void extendSlotGroup_groupIsMoving_comesLater() {
        open(A, 1);
        long first = Objects.requireNonNull(arc.state.slotGroup(GROUP)).startCid();
        long last = Objects.requireNonNull(arc.state.slotGroup(GROUP)).endCidInclusive();
        arc.state.apply(new RangeCommand.BeginMigration(first, last, A, 1, B, 1));
        assertThat(refusedExtend(GROUP, A, 1)).isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void requests_arcIsNotLedAnyMore_comeLater() {
        arc.lone.run(arc.service::end);
        assertThat(refusedOpen(GROUP, A, 1)).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.committed).isEmpty();
    }
}
