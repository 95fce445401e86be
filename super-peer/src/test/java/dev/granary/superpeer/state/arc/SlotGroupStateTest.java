package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.overlay.tree.CidTree;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** {@link SlotGroupState} within the state of an arc. */
class SlotGroupStateTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int GROUP = SlotGroup.nid(3);
    private static final long FIRST_LIMIT = SlotGroup.FIRST_LIDS + 1;
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);

    private final ArcState state = new ArcState();

    private RangeResult.Group open(int owner, long epoch, int... members) {
        List<ZoneMember> list = new ArrayList<>();
        for (int nid : members) {
            list.add(new ZoneMember(nid, 1));
        }
        return (RangeResult.Group)
                state.apply(new SlotGroupCommand.OpenSlotGroup(GROUP, owner, epoch, list, members.length));
    }

    private ArcResult extend(int owner, long known, long wanted) {
        return state.apply(new SlotGroupCommand.ExtendSlotGroup(GROUP, owner, 1, known, wanted));
    }

    private static long limitOf(ArcResult result) {
        return ((RangeResult.Group) result).lidLimit();
    }

    private void assertRefused(ArcCommand command, String message) {
        byte[] before = snapshot(state);
        assertThat(state.apply(command))
                .isInstanceOfSatisfying(RangeResult.NotNow.class, notNow -> assertThat(notNow.message())
                        .contains(message));
        assertThat(snapshot(state)).as("changed by %s", command).isEqualTo(before);
    }

    private static byte[] snapshot(ArcState of) {
        ByteBuf bytes = Unpooled.buffer();
        of.writeSnapshot(bytes);
        return ByteBufUtil.getBytes(bytes);
    }

    private CidRange group() {
        return Objects.requireNonNull(state.slotGroup(GROUP));
    }

    private MigrationRecord begin(int source, int target) {
        ArcResult begun = state.apply(
                new RangeCommand.BeginMigration(group().startCid(), group().endCidInclusive(), source, 1, target, 1));
        return ((RangeResult.Migration) begun).record();
    }

    private void commit(MigrationRecord begun) {
        ArcResult committed =
                state.apply(new RangeCommand.CommitMigration(GROUP, begun.number(), begun.sourceNid(), 1));
        assertThat(((RangeResult.Migration) committed).record().state()).isEqualTo(MigrationState.COMMITTED);
    }

    private void recover(int candidate) {
        ZoneRecord zone = Objects.requireNonNull(state.zone(group().placement().zone()));
        ZoneRecord.Recovery recovery = new ZoneRecord.Recovery(candidate, 1, 7, 1, zone.members());
        state.apply(new ZoneCommand.DecideRecoveries(
                GROUP,
                List.of(new ZoneCommand.Decision(zone.id(), zone.placement().epoch(), recovery))));
        state.apply(new ZoneCommand.EndRecovery(zone.id(), zone.recoveryEpoch(), candidate, 1, 1));
    }

    @Test
    void open_neverOpenedBefore_isOneRangeInASharedZoneOfTheOwner() {
        assertThat(state.slotGroup(GROUP)).isNull();
        Placement expected = new Placement(A, new int[] {B, C}, 1, BackupZone.id(GROUP, 1), PlacementState.IN_SYNC);
        assertThat(open(A, 1, B, C)).isEqualTo(new RangeResult.Group(expected, FIRST_LIMIT));
        assertThat(group()).isEqualTo(new CidRange(Cid.firstOf(GROUP), Cid.of(GROUP, FIRST_LIMIT - 1), expected));
        assertThat(state.slotGroups()).containsExactly(group());
        ZoneRecord zone = Objects.requireNonNull(state.zone(expected.zone()));
        assertThat(zone.shared()).isTrue();
        assertThat(zone.ownerEpoch()).isEqualTo(1);
        assertThat(state.peers()).isEmpty();
        assertThat(state.creators(ALL)).isEmpty();
        assertThat(state.strangers()).containsOnlyKeys(A, B, C);
    }

    @Test
    void open_twiceByTwoOwners_theFirstHasIt() {
        RangeResult.Group first = open(A, 1, B);
        assertThat(open(C, 1, B)).isEqualTo(first);
        assertThat(open(A, 1, C)).isEqualTo(first);
        assertThat(state.zones()).hasSize(1);
    }

    @Test
    void open_incarnationThatHasEnded_isRefused() {
        state.apply(new RangeCommand.FencePeer(A, 2));
        assertRefused(new SlotGroupCommand.OpenSlotGroup(GROUP, A, 1, List.of(), 0), "has ended");
    }

    @Test
    void open_noNumbersOfZonesLeft_isRefused() {
        state.rebuilt(new CidTree(), Map.of(), List.of(), Map.of(GROUP, BackupZone.MAX_NUMBER), List.of(), 0);
        state.apply(new RangeCommand.FencePeer(A, 1));
        assertRefused(new SlotGroupCommand.OpenSlotGroup(GROUP, A, 1, List.of(), 0), "32767");
    }

    @Test
    void open_afterItWasLost_isEmptyAtAHigherEpochWithItsLids() {
        open(A, 1);
        extend(A, FIRST_LIMIT, 100_001);
        state.apply(new RangeCommand.FencePeer(A, 2));
        Placement lost = group().placement();
        assertThat(lost.state()).isEqualTo(PlacementState.LOST);

        RangeResult.Group again = open(B, 1, C);

        Placement expected =
                new Placement(B, new int[] {C}, lost.epoch() + 1, BackupZone.id(GROUP, 2), PlacementState.IN_SYNC);
        assertThat(again).isEqualTo(new RangeResult.Group(expected, 100_001));
        assertThat(state.zones()).as("the lost zone is forgotten").hasSize(1);
        assertThat(open(A, 2)).isEqualTo(again);
    }

    @Test
    void open_whileItIsRecovering_changesNothing() {
        open(A, 1, B);
        state.apply(new RangeCommand.FencePeer(A, 2));
        assertThat(open(C, 1).placement().state()).isEqualTo(PlacementState.RECOVERING);
        assertThat(group().placement().owner()).isEqualTo(Nid.NONE);
    }

    @Test
    void extend_byTheOwner_growsInTheSameZoneAtMostTwofold() {
        Placement placement = open(A, 1, B).placement();
        assertThat(extend(A, FIRST_LIMIT, FIRST_LIMIT + 10))
                .isEqualTo(new RangeResult.Group(placement, FIRST_LIMIT + 10));
        assertThat(limitOf(extend(A, FIRST_LIMIT + 10, 1L << 40))).isEqualTo(1 + 2 * (FIRST_LIMIT + 9));
        assertThat(state.slotGroups()).hasSize(1);
        assertThat(group().placement()).isEqualTo(placement);
        assertThat(state.rangeCount()).isEqualTo(1);
    }

    @Test
    void extend_twiceWithTheSameLimit_changesNothingTheSecondTime() {
        open(A, 1, B);
        assertThat(limitOf(extend(A, FIRST_LIMIT, 70_000))).isEqualTo(70_000);
        assertThat(limitOf(extend(A, FIRST_LIMIT, 90_000))).isEqualTo(70_000);
        assertThat(limitOf(extend(A, 70_000, 60_000))).as("a lower limit").isEqualTo(70_000);
    }

    @Test
    void extend_toTheEnd_stopsAtTheMostLids() {
        open(A, 1, B);
        long limit = FIRST_LIMIT;
        for (int i = 0; i < 20; i++) {
            limit = limitOf(extend(A, limit, Long.MAX_VALUE));
        }
        assertThat(limit).isEqualTo(1L + SlotGroup.MAX_LIDS);
    }

    @Test
    void extend_notByThePresentOwner_isRefused() {
        assertRefused(new SlotGroupCommand.ExtendSlotGroup(GROUP, A, 1, FIRST_LIMIT, 70_000), "does not own");
        open(A, 1, B);
        assertRefused(new SlotGroupCommand.ExtendSlotGroup(GROUP, B, 1, FIRST_LIMIT, 70_000), "does not own");
        assertRefused(new SlotGroupCommand.ExtendSlotGroup(GROUP, A, 2, FIRST_LIMIT, 70_000), "in this incarnation");
        state.apply(new RangeCommand.FencePeer(A, 2));
        assertRefused(new SlotGroupCommand.ExtendSlotGroup(GROUP, A, 1, FIRST_LIMIT, 70_000), "does not own");
    }

    @Test
    void extend_whileTheGroupMoves_isRefusedUntilItHasMoved() {
        open(A, 1, B);
        MigrationRecord begun = begin(A, C);
        assertRefused(new SlotGroupCommand.ExtendSlotGroup(GROUP, A, 1, FIRST_LIMIT, 70_000), "on its way");
        state.apply(new ZoneCommand.OpenZone(GROUP, C, 1, List.of(new ZoneMember(B, 1)), 1));
        commit(begun);
        assertThat(limitOf(extend(C, FIRST_LIMIT, 70_000))).isEqualTo(70_000);
        assertThat(state.slotGroups()).hasSize(1);
    }

    @Test
    void ownerEnded_groupWithCopies_isRecoveredWithItsLimit() {
        open(A, 1, B, C);
        extend(A, FIRST_LIMIT, 80_000);
        state.apply(new RangeCommand.FencePeer(A, 2));
        assertThat(group().placement().state()).isEqualTo(PlacementState.RECOVERING);

        recover(B);

        assertThat(group().placement().owner()).isEqualTo(B);
        assertThat(group().placement().backups()).containsExactly(C);
        assertThat(ArcState.limitOf(group())).isEqualTo(80_000);
        assertThat(limitOf(extend(B, 80_000, 90_000))).isEqualTo(90_000);
    }

    @Test
    void beginMigration_partOfAGroup_isRefused() {
        open(A, 1, B);
        long first = Cid.firstOf(GROUP);
        long last = group().endCidInclusive();
        assertRefused(new RangeCommand.BeginMigration(first, last - 1, A, 1, C, 1), "moves as a whole");
        assertRefused(new RangeCommand.BeginMigration(first + 1, last, A, 1, C, 1), "moves as a whole");
        assertThat(begin(A, C).state()).isEqualTo(MigrationState.RUNNING);
    }

    /** Otherwise the target would have to log a tombstone for each LID that an older log may have. */
    @Test
    void beginMigration_groupComesBack_isLoggedInANewZone() {
        Placement there = open(A, 1, B).placement();
        MigrationRecord away = begin(A, C);
        state.apply(new ZoneCommand.OpenZone(GROUP, C, 1, List.of(new ZoneMember(B, 1)), 1));
        commit(away);
        assertThat(group().placement().epoch()).isGreaterThan(there.epoch());

        MigrationRecord back = begin(C, A);
        RangeResult.Zone opened =
                (RangeResult.Zone) state.apply(new ZoneCommand.OpenZone(GROUP, A, 1, List.of(new ZoneMember(B, 1)), 1));
        assertThat(opened.placement().zone()).isEqualTo(BackupZone.id(GROUP, 3));
        commit(back);
        assertThat(group().placement().owner()).isEqualTo(A);
        assertThat(group().placement().zone()).isEqualTo(BackupZone.id(GROUP, 3));
    }

    @Test
    void snapshot_andPartOfAnArc_haveTheGroups() {
        open(A, 1, B, C);
        extend(A, FIRST_LIMIT, 70_000);
        ArcState restored = new ArcState();
        restored.readSnapshot(Unpooled.wrappedBuffer(snapshot(state)));
        assertThat(restored.slotGroups()).isEqualTo(state.slotGroups());
        assertThat(snapshot(restored)).isEqualTo(snapshot(state));

        Arc part = new Arc(GROUP - 1, GROUP);
        ByteBuf bytes = Unpooled.buffer();
        state.writePart(part, bytes);
        ArcState other = new ArcState();
        other.readPart(bytes);
        assertThat(other.slotGroups()).isEqualTo(state.slotGroups());
        assertThat(other.zoneNumbersLeft(GROUP)).isEqualTo(BackupZone.MAX_NUMBER - 1);
        state.removePart(part);
        assertThat(state.slotGroups()).isEmpty();
        assertThat(state.zones()).isEmpty();
    }
}
