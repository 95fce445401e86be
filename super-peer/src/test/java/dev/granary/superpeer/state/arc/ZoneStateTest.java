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
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.SpareCopies;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Zones in the state of an arc, together with the ranges that refer to them. */
class ZoneStateTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int D = 0x2000;
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);
    private static final int ZONE = BackupZone.id(A, 1);

    private RangeState state = new RangeState();

    private static ZoneMember member(int nid) {
        return new ZoneMember(nid, 1);
    }

    private static NewZone zone(long lids, int... members) {
        List<ZoneMember> list = new ArrayList<>();
        for (int nid : members) {
            list.add(member(nid));
        }
        return new NewZone(lids, list, 2);
    }

    private void peerWithZones(int nid, NewZone... zones) {
        state.peerAdded(nid, 1);
        state.zonesAdded(nid, 1, 1, List.of(zones));
    }

    private CidRange range(long lid) {
        return Objects.requireNonNull(state.find(Cid.of(A, lid)));
    }

    private Placement placement(int zone) {
        return Objects.requireNonNull(state.zones().find(zone)).placement();
    }

    private Placement applied(ZoneCommand command) {
        ArcResult result = state.apply(command);
        assertThat(result).isInstanceOf(RangeResult.Zone.class);
        return ((RangeResult.Zone) result).placement();
    }

    private void decide(int zone, long epoch, int candidate, long lastSequence, int... kept) {
        List<ZoneMember> members = new ArrayList<>();
        for (int nid : kept) {
            members.add(member(nid));
        }
        state.apply(new ZoneCommand.DecideRecoveries(
                BackupZone.creatorOf(zone),
                List.of(new ZoneCommand.Decision(
                        zone, epoch, new ZoneRecord.Recovery(candidate, 1, lastSequence, 1, members)))));
    }

    @Test
    void zonesAdded_twoOfThem_cutTheReservedLidsAndLeaveTheRestAlone() {
        peerWithZones(A, zone(100, B, C), zone(50, C, D));

        assertThat(range(1).endCidInclusive()).isEqualTo(Cid.of(A, 100));
        assertThat(range(1).placement()).isEqualTo(new Placement(A, new int[] {B, C}, 1, ZONE, PlacementState.IN_SYNC));
        assertThat(range(101).placement().zone()).isEqualTo(BackupZone.id(A, 2));
        assertThat(range(101).endCidInclusive()).isEqualTo(Cid.of(A, 150));
        assertThat(range(151).placement()).isEqualTo(Placement.unreplicated(A, 1));
        assertThat(range(151).endCidInclusive()).isEqualTo(Cid.lastOf(A));
    }

    @Test
    void zonesAdded_memberThatHasEnded_isLeftOut() {
        state.apply(new RangeCommand.FencePeer(B, 2));
        peerWithZones(A, zone(100, B, C));

        assertThat(placement(ZONE)).isEqualTo(new Placement(A, new int[] {C}, 1, ZONE, PlacementState.DEGRADED));
    }

    @Test
    void changeCopies_ofThePresentOwner_raisesTheEpochOnce() {
        peerWithZones(A, zone(100, B, C));
        ZoneCommand change = new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(B), List.of(new ZoneMember(D, 4)), 3);

        Placement next = applied(change);

        assertThat(next).isEqualTo(new Placement(A, new int[] {C, D}, 2, ZONE, PlacementState.DEGRADED));
        assertThat(range(7).placement()).isEqualTo(next);
        assertThat(applied(change)).as("once more").isEqualTo(next);
        assertThat(state.presentEpoch(D)).isEqualTo(4);
    }

    @Test
    void changeCopies_lastMemberDropped_isRefusedUnlessAnotherIsAdded() {
        peerWithZones(A, zone(100, B));
        assertThat(applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(B), List.of(), 2))
                        .epoch())
                .isEqualTo(1);
        assertThat(applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(B), List.of(member(C)), 2))
                        .backups())
                .containsExactly(C);
    }

    @Test
    void canOpen_noNumbersLeft_onlyForAnOwnerThatHasASharedZone() {
        peerWithZones(A, zone(100, B));
        state.peerAdded(B, 1);
        applied(new ZoneCommand.OpenZone(A, B, 1, List.of(member(C)), 1));
        assertThat(state.zones().canOpen(A, C)).isTrue();
        state.zones().rebuilt(List.of(), Map.of(A, BackupZone.MAX_NUMBER));
        assertThat(state.zones().leastNumbersLeft()).isZero();
        assertThat(state.zones().canOpen(A, B)).isTrue();
        assertThat(state.zones().canOpen(A, C)).isFalse();
        assertThat(state.zones().canOpen(D, C)).isTrue();
    }

    /**
     * After all storage peers have restarted, the first copy that is filled may be on a peer that was not in sync
     * before.
     */
    @Test
    void changeCopies_zoneFullOfMembersThatHaveEnded_oneOfThemMakesRoom() {
        int another = 0xA000;
        peerWithZones(A, zone(100, B, C, D));
        List.of(B, C, D).forEach(nid -> state.apply(new RangeCommand.FencePeer(nid, 2)));

        Placement next = applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(), List.of(member(another)), 3));

        assertThat(next.epoch()).isEqualTo(2);
        assertThat(next.backups()).containsExactly(C, D, another);
    }

    @Test
    void changeCopies_zoneFullOfMembersThatLive_isRefused() {
        peerWithZones(A, zone(100, B, C, D));

        Placement next = applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(), List.of(member(0xA000)), 3));

        assertThat(next.backups()).containsExactly(B, C, D);
    }

    @Test
    void changeCopies_memberFilledAfresh_isOfTheNewIncarnation() {
        peerWithZones(A, zone(100, B));
        state.apply(new RangeCommand.FencePeer(B, 2));

        Placement next =
                applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(), List.of(new ZoneMember(B, 2)), 1));

        assertThat(next.epoch()).isEqualTo(2);
        assertThat(Objects.requireNonNull(state.zones().find(ZONE)).memberEpochs())
                .containsExactly(2L);
    }

    @Test
    void changeCopies_byAnOwnerThatHasEnded_changesNothing() {
        peerWithZones(A, zone(100, B, C));
        state.ownerEnded(A, 1);

        Placement now = applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(B), List.of(), 2));

        assertThat(now.state()).isEqualTo(PlacementState.RECOVERING);
        assertThat(now.backups()).containsExactly(B, C);
    }

    @Test
    void ownerEnded_withCopies_isRecoveredByOneOfThem() {
        peerWithZones(A, zone(100, B, C));
        state.ownerEnded(A, 1);

        assertThat(range(50).placement())
                .isEqualTo(new Placement(Nid.NONE, new int[] {B, C}, 2, ZONE, PlacementState.RECOVERING));
        decide(ZONE, 2, C, 17, B, C);
        assertThat(range(50).placement().owner()).as("not before it has it").isEqualTo(Nid.NONE);

        Placement next = applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, 2));

        assertThat(next).isEqualTo(new Placement(C, new int[] {B}, 3, ZONE, PlacementState.DEGRADED));
        assertThat(range(50).placement()).isEqualTo(next);
        assertThat(applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, 2)))
                .as("told once more")
                .isEqualTo(next);
    }

    @Test
    void endRecovery_notByTheCandidateOrOfAnEarlierAttempt_changesNothing() {
        peerWithZones(A, zone(100, B, C));
        state.ownerEnded(A, 1);
        decide(ZONE, 2, C, 17, B, C);

        assertThat(applied(new ZoneCommand.EndRecovery(ZONE, 3, B, 1, 2)).isServed())
                .isFalse();
        assertThat(applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 2, 2)).isServed())
                .isFalse();
        state.apply(new ZoneCommand.RestartRecoveries(A, List.of(new ZoneCommand.ZoneAt(ZONE, 2))));
        assertThat(placement(ZONE).epoch()).isEqualTo(3);
        assertThat(applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, 2)).isServed())
                .isFalse();
        decide(ZONE, 3, B, 17, B);
        assertThat(applied(new ZoneCommand.EndRecovery(ZONE, 4, B, 1, 2)).owner())
                .isEqualTo(B);
    }

    @Test
    void endRecovery_candidateHasEnded_changesNothing() {
        peerWithZones(A, zone(100, B, C));
        state.ownerEnded(A, 1);
        decide(ZONE, 2, C, 17, B, C);
        state.apply(new RangeCommand.FencePeer(C, 2));

        assertThat(applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, 2)).isServed())
                .isFalse();
        assertThat(placement(ZONE).backups()).as("until there is an owner").containsExactly(B, C);
    }

    @Test
    void decide_twice_theFirstOneCounts() {
        peerWithZones(A, zone(100, B, C));
        state.ownerEnded(A, 1);
        decide(ZONE, 2, C, 17, B, C);
        decide(ZONE, 2, B, 18, B);

        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(state.zones().find(ZONE)).recovery())
                        .candidateNid())
                .isEqualTo(C);
    }

    @Test
    void epochRaised_creatorStartsAnew_getsBackOnlyWhatIsLost() {
        peerWithZones(A, zone(100, B, C), zone(100));
        state.epochRaised(A, 2);
        state.zonesAdded(A, 2, 201, List.of(zone(10, B)));

        assertThat(range(50).placement().state()).isEqualTo(PlacementState.RECOVERING);
        assertThat(range(150).placement())
                .as("its zone ended, and then it was taken back")
                .isEqualTo(Placement.unreplicated(A, 3));
        assertThat(state.zones().find(BackupZone.id(A, 2))).isNull();
        assertThat(range(205).placement().zone()).isEqualTo(BackupZone.id(A, 3));
        state.apply(new ZoneCommand.LoseZones(A, List.of(new ZoneCommand.ZoneAt(ZONE, 2))));
        assertThat(range(50).placement().state()).isEqualTo(PlacementState.LOST);
        state.epochRaised(A, 3);
        assertThat(range(50).placement()).isEqualTo(Placement.unreplicated(A, 4));
        assertThat(state.zones().find(ZONE)).isNull();
    }

    @Test
    void commitMigration_targetHasAnOpenZone_switchesTheRangeToIt() {
        peerWithZones(A, zone(100, B, C));
        state.peerAdded(D, 1);
        applied(new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(B), List.of(), 2));
        Placement opened = applied(new ZoneCommand.OpenZone(A, D, 1, List.of(member(B)), 1));
        assertThat(applied(new ZoneCommand.OpenZone(A, D, 1, List.of(member(C)), 1)))
                .isEqualTo(opened);

        migrate(10, 19, A, D);

        assertThat(range(15).placement()).isEqualTo(opened);
        assertThat(opened.epoch()).isGreaterThan(placement(ZONE).epoch());
        // The zone goes back and forth: the epoch of each chunk rises.
        Placement back = applied(new ZoneCommand.OpenZone(A, A, 1, List.of(member(B)), 1));
        assertThat(back.epoch()).isGreaterThan(opened.epoch());
        migrate(10, 19, D, A);
        long before = range(15).placement().epoch();
        migrate(10, 19, A, D);
        assertThat(range(15).placement().epoch()).isGreaterThan(before);
        assertThat(range(15).placement()).isEqualTo(placement(opened.zone()));
    }

    @Test
    void openZone_zoneRecoveredHere_servesAgain() {
        peerWithZones(A, zone(100, B, C));
        state.peerAdded(D, 1);
        Placement opened = applied(new ZoneCommand.OpenZone(A, D, 1, List.of(member(B)), 1));
        migrate(10, 19, A, D);
        state.ownerEnded(D, 1);
        decide(opened.zone(), opened.epoch() + 1, B, 5, B);
        Placement recovered = applied(new ZoneCommand.EndRecovery(opened.zone(), opened.epoch() + 2, B, 1, 1));

        assertThat(state.zones().openOf(A, B)).isNull();
        assertThat(applied(new ZoneCommand.OpenZone(A, B, 1, List.of(member(C)), 1)))
                .isEqualTo(recovered);
        assertThat(Objects.requireNonNull(state.zones().openOf(A, B)).id()).isEqualTo(opened.zone());
    }

    @Test
    void ownerEnded_foreignZoneWithoutCopies_isLost() {
        peerWithZones(A, zone(100, B));
        Placement opened = applied(new ZoneCommand.OpenZone(A, D, 1, List.of(), 0));
        migrate(10, 19, A, D);
        state.ownerEnded(D, 1);

        assertThat(range(15).placement().state()).isEqualTo(PlacementState.LOST);
        assertThat(placement(opened.zone()).state()).isEqualTo(PlacementState.LOST);
    }

    @Test
    void closeZones_unusedOne_goesUnlessAMigrationMayBringARange() {
        peerWithZones(A, zone(100, B, C));
        state.peerAdded(D, 1);
        Placement opened = applied(new ZoneCommand.OpenZone(A, D, 1, List.of(member(B)), 1));
        ZoneCommand closing = new ZoneCommand.CloseZones(
                A,
                List.of(
                        new ZoneCommand.ZoneAt(opened.zone(), opened.epoch()),
                        new ZoneCommand.ZoneAt(ZONE, placement(ZONE).epoch())));
        ArcResult begun = state.apply(new RangeCommand.BeginMigration(Cid.of(A, 10), Cid.of(A, 19), A, 1, D, 1));
        MigrationRecord record = ((RangeResult.Migration) begun).record();

        state.apply(closing);
        assertThat(state.zones().find(opened.zone()))
                .as("a migration may bring a range")
                .isNotNull();
        state.apply(new RangeCommand.AbortMigration(A, record.number(), "no"));
        state.apply(closing);

        assertThat(state.zones().find(opened.zone())).isNull();
        assertThat(placement(ZONE).owner()).as("has ranges").isEqualTo(A);
        assertThat(applied(new ZoneCommand.OpenZone(A, D, 1, List.of(member(B)), 1))
                        .zone())
                .as("a number is given once")
                .isNotEqualTo(opened.zone());
    }

    /** Lets C recover A's zone from its own copy alone, at epoch 3. */
    private Placement recoveredByCAlone(int wanted) {
        peerWithZones(A, zone(100, B, C));
        state.ownerEnded(A, 1);
        decide(ZONE, 2, C, 17, C);
        return applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, wanted));
    }

    @Test
    void ownerEnded_hadRecoveredTheZoneAlone_isRecoveredFromItsLog() {
        Placement alone = recoveredByCAlone(2);
        assertThat(alone).isEqualTo(new Placement(C, new int[0], 3, ZONE, PlacementState.DEGRADED));

        state.ownerEnded(C, 1);

        assertThat(placement(ZONE))
                .isEqualTo(new Placement(Nid.NONE, new int[] {C}, 4, ZONE, PlacementState.RECOVERING));
        assertThat(Objects.requireNonNull(state.zones().find(ZONE)).members()).containsExactly(member(C));
        assertThat(range(5).placement()).isEqualTo(placement(ZONE));
        RangeState target = new RangeState();
        target.read(bytes(state));
        assertThat(target.zones().find(ZONE)).isEqualTo(state.zones().find(ZONE));
    }

    @Test
    void ownerEnded_hadAMemberSinceItRecoveredTheZoneAlone_isRecoveredFromThatOne() {
        recoveredByCAlone(2);
        applied(new ZoneCommand.ChangeCopies(ZONE, C, 1, 3, List.of(), List.of(member(D)), 2));
        state.ownerEnded(C, 1);
        assertThat(placement(ZONE).backups()).containsExactly(D);
    }

    @Test
    void changeCopies_ownerThatIsAloneAsksToGoWithout_itsLogNoLongerCounts() {
        recoveredByCAlone(0);
        ZoneCommand wanted = new ZoneCommand.ChangeCopies(ZONE, C, 1, 3, List.of(), List.of(), 1);
        assertThat(applied(wanted)).isEqualTo(new Placement(C, new int[0], 3, ZONE, PlacementState.DEGRADED));

        Placement without = applied(new ZoneCommand.ChangeCopies(ZONE, C, 1, 3, List.of(), List.of(), 0));
        assertThat(without).isEqualTo(new Placement(C, new int[0], 4, ZONE, PlacementState.IN_SYNC));
        state.ownerEnded(C, 1);
        assertThat(placement(ZONE).state()).isEqualTo(PlacementState.LOST);
    }

    private @Nullable SpareCopies spares() {
        return Objects.requireNonNull(state.zones().find(ZONE)).spares();
    }

    /** Lets C recover A's zone from its own copy and that of B, at epoch 3; D has not answered. */
    private void recoveredByCWithoutD() {
        peerWithZones(A, zone(100, B, C, D));
        state.ownerEnded(A, 1);
        decide(ZONE, 2, C, 17, C, B);
        applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, 3));
    }

    @Test
    void endRecovery_copiesWereLeftOut_areSpareUntilTheZoneHasItsMembers() {
        recoveredByCWithoutD();
        SpareCopies.Spare ofC = new SpareCopies.Spare(C, 1);
        SpareCopies.Spare ofD = new SpareCopies.Spare(D, 1);
        assertThat(spares()).isEqualTo(new SpareCopies(17, List.of(ofC, ofD)));
        RangeState target = new RangeState();
        target.read(bytes(state));
        assertThat(target.zones().find(ZONE)).isEqualTo(state.zones().find(ZONE));
        assertThat(state.strangers()).containsOnlyKeys(B, C, D);

        applied(new ZoneCommand.ChangeCopies(ZONE, C, 1, 3, List.of(), List.of(member(D)), 3));
        assertThat(spares()).as("a member's copy is no spare one").isEqualTo(new SpareCopies(17, List.of(ofC)));
        applied(new ZoneCommand.ChangeCopies(ZONE, C, 1, 4, List.of(), List.of(new ZoneMember(A, 2)), 3));
        assertThat(spares()).as("it has three members").isNull();
    }

    @Test
    void endRecovery_allMembersAreThere_noneIsSpare() {
        peerWithZones(A, zone(100, B, C, D));
        state.ownerEnded(A, 1);
        decide(ZONE, 2, C, 17, C, B, D);
        applied(new ZoneCommand.EndRecovery(ZONE, 3, C, 1, 2));
        assertThat(spares()).isNull();
    }

    @Test
    void endRecovery_nothingWasWrittenSinceTheLastOne_spareCopiesStay() {
        recoveredByCWithoutD();
        state.ownerEnded(C, 1);
        assertThat(Objects.requireNonNull(spares()).nids()).containsExactly(C, D);
        decide(ZONE, 4, B, 17, B);
        applied(new ZoneCommand.EndRecovery(ZONE, 5, B, 1, 3));

        assertThat(Objects.requireNonNull(spares()).nids()).containsExactly(B, C, D);
    }

    @Test
    void endRecovery_somethingWasWrittenSinceTheLastOne_earlierSpareCopiesGo() {
        recoveredByCWithoutD();
        state.ownerEnded(C, 1);
        decide(ZONE, 4, B, 18, B);
        applied(new ZoneCommand.EndRecovery(ZONE, 5, B, 1, 3));

        assertThat(Objects.requireNonNull(spares()).nids()).containsExactly(B);
    }

    @Test
    void endRecovery_fromASpareCopy_itsPeerOwnsTheZone() {
        recoveredByCWithoutD();
        state.ownerEnded(C, 1);
        decide(ZONE, 4, D, 17, D);
        Placement now = applied(new ZoneCommand.EndRecovery(ZONE, 5, D, 1, 3));

        assertThat(now).isEqualTo(new Placement(D, new int[0], 5, ZONE, PlacementState.DEGRADED));
        assertThat(Objects.requireNonNull(spares()).nids()).containsExactly(B, C, D);
        state.ownerEnded(D, 1);
        assertThat(placement(ZONE).backups()).as("its log is a copy").containsExactly(D);
    }

    @Test
    void strangers_everyZone_namesOwnerMembersAndCandidate() {
        peerWithZones(A, zone(100, B, C));
        assertThat(state.strangers()).containsOnlyKeys(A, B, C);
        state.ownerEnded(A, 1);
        decide(ZONE, 2, D, 17, B);
        assertThat(state.strangers()).containsOnlyKeys(B, C, D);
    }

    @Test
    void read_otherSideKnowsThatTheOwnerHasEnded_isRecoveringThere() {
        peerWithZones(A, zone(100, B, C));
        RangeState target = new RangeState();
        target.apply(new RangeCommand.FencePeer(A, 2));

        target.read(bytes(state));

        assertThat(Objects.requireNonNull(target.find(Cid.of(A, 5))).placement().state())
                .isEqualTo(PlacementState.RECOVERING);
        target.remove(ALL);
        assertThat(target.zones().all()).isEmpty();
        assertThat(target.all()).isEmpty();
    }

    @Test
    void commands_writtenAndRead_areTheSame() {
        ZoneRecord.Recovery recovery = new ZoneRecord.Recovery(B, 5, 6, 4, List.of(new ZoneMember(B, 7)));
        List<ZoneCommand> all = List.of(
                new ZoneCommand.OpenZone(A, B, 3, List.of(new ZoneMember(C, 4)), 2),
                new ZoneCommand.ChangeCopies(ZONE, A, 2, 3, List.of(B, C), List.of(new ZoneMember(D, 4)), 3),
                new ZoneCommand.DecideRecoveries(A, List.of(new ZoneCommand.Decision(ZONE, 4, recovery))),
                new ZoneCommand.EndRecovery(ZONE, 5, B, 6, 3),
                new ZoneCommand.RestartRecoveries(A, List.of(new ZoneCommand.ZoneAt(ZONE, 7))),
                new ZoneCommand.LoseZones(A, List.of(new ZoneCommand.ZoneAt(ZONE, 8))),
                new ZoneCommand.CloseZones(A, List.of(new ZoneCommand.ZoneAt(ZONE, 9))));
        int type = ZoneCommand.FIRST_TYPE;
        for (ZoneCommand command : all) {
            assertThat(command.type()).isEqualTo(type++);
            assertThat(command.position()).isEqualTo(A);
            ByteBuf out = Unpooled.buffer();
            command.writeFields(out);
            assertThat(state.readCommand(command.type(), out)).isEqualTo(command);
            assertThat(out.isReadable()).isFalse();
        }
    }

    /** Runs random commands, checks the invariants after each, and sometimes passes the state through a snapshot. */
    @Test
    void apply_randomCommands_keepsWhatMustHold() {
        long seed = new Random().nextLong();
        for (int run = 0; run < 60; run++) {
            new Walk(new Random(seed + run), "seed " + (seed + run)).run();
        }
    }

    private final class Walk {
        private static final int[] NIDS = {A, B, C, D};
        private final Random random;
        private final String what;
        private final Map<Integer, Long> epochs = new TreeMap<>();
        private final Map<Integer, Long> limits = new TreeMap<>();
        private final Map<Long, Long> seen = new HashMap<>();

        private Walk(Random random, String what) {
            this.random = random;
            this.what = what;
        }

        private void run() {
            state = new RangeState();
            for (int nid : NIDS) {
                epochs.put(nid, 1L);
            }
            for (int nid : NIDS) {
                state.peerAdded(nid, 1);
                state.zonesAdded(nid, 1, 1, List.of(newZone()));
                limits.put(nid, 21L);
            }
            for (int step = 0; step < 150; step++) {
                step();
                if (random.nextInt(12) == 0) {
                    RangeState copy = new RangeState();
                    copy.read(bytes(state));
                    assertThat(ByteBufUtil.hexDump(bytes(copy))).as(what).isEqualTo(ByteBufUtil.hexDump(bytes(state)));
                    state = copy;
                }
                check();
            }
        }

        private NewZone newZone() {
            return new NewZone(20, List.of(present(), present()), random.nextInt(3));
        }

        private int nid() {
            return NIDS[random.nextInt(NIDS.length)];
        }

        private ZoneMember present() {
            int nid = nid();
            return new ZoneMember(nid, Objects.requireNonNull(epochs.get(nid)));
        }

        private void step() {
            ZoneRecord zone = List.copyOf(state.zones().all())
                    .get(random.nextInt(state.zones().all().size()));
            Placement now = zone.placement();
            int creator = zone.creatorNid();
            switch (random.nextInt(10)) {
                case 0 -> startAnew(nid());
                case 1 ->
                    state.apply(new RangeCommand.FencePeer(zone.placement().owner(), zone.ownerEpoch() + 1));
                case 2, 3 ->
                    state.apply(new ZoneCommand.ChangeCopies(
                            zone.id(),
                            now.owner(),
                            zone.ownerEpoch(),
                            now.epoch() - random.nextInt(2),
                            List.of(nid()),
                            random.nextBoolean() ? List.of(present()) : List.of(),
                            2));
                case 4, 5 -> {
                    ZoneMember candidate = present();
                    state.apply(new ZoneCommand.DecideRecoveries(
                            creator,
                            List.of(new ZoneCommand.Decision(
                                    zone.id(),
                                    now.epoch(),
                                    new ZoneRecord.Recovery(
                                            candidate.nid(), candidate.epoch(), 1, 1, zone.members())))));
                }
                case 6, 7 -> {
                    ZoneRecord.Recovery recovery = zone.recovery();
                    if (recovery != null) {
                        state.apply(new ZoneCommand.EndRecovery(
                                zone.id(),
                                zone.recoveryEpoch(),
                                recovery.candidateNid(),
                                recovery.candidateEpoch(),
                                2));
                    }
                }
                case 8 ->
                    state.apply(new ZoneCommand.RestartRecoveries(
                            creator, List.of(new ZoneCommand.ZoneAt(zone.id(), now.epoch()))));
                default -> {
                    ZoneMember owner = present();
                    state.apply(new ZoneCommand.OpenZone(
                            creator, owner.nid(), owner.epoch(), List.of(present(), present()), 2));
                    long first = 1L + random.nextInt(20);
                    CidRange range = state.find(Cid.of(creator, first));
                    if (range != null && range.placement().isServed()) {
                        int source = range.placement().owner();
                        ArcResult begun = state.apply(new RangeCommand.BeginMigration(
                                Cid.of(creator, first),
                                Cid.of(creator, first),
                                source,
                                Objects.requireNonNull(epochs.get(source)),
                                owner.nid(),
                                owner.epoch()));
                        if (begun instanceof RangeResult.Migration(MigrationRecord record)) {
                            state.apply(new RangeCommand.CommitMigration(
                                    record.creatorNid(), record.number(), record.sourceNid(), record.sourceEpoch()));
                        }
                    }
                }
            }
        }

        private void startAnew(int nid) {
            long epoch = Objects.requireNonNull(epochs.merge(nid, 1L, Long::sum));
            state.epochRaised(nid, epoch);
            long limit = Objects.requireNonNull(limits.get(nid));
            state.zonesAdded(nid, epoch, limit, List.of(newZone()));
            limits.put(nid, limit + 20);
        }

        private void check() {
            for (int nid : NIDS) {
                for (CidRange range : state.within(Cid.firstOf(nid), Cid.lastOf(nid))) {
                    Placement placement = range.placement();
                    if (placement.zone() != 0) {
                        ZoneRecord zone = state.zones().find(placement.zone());
                        assertThat(zone).as(what).isNotNull();
                        assertThat(Objects.requireNonNull(zone).placement())
                                .as(what)
                                .isEqualTo(placement);
                        assertThat(zone.creatorNid()).as(what).isEqualTo(nid);
                    }
                }
                for (long lid = 1; lid < 60; lid += 7) {
                    CidRange range = Objects.requireNonNull(state.find(Cid.of(nid, lid)));
                    long epoch = range.placement().epoch();
                    Long before = seen.put(Cid.of(nid, lid), epoch);
                    assertThat(epoch).as(what).isGreaterThanOrEqualTo(before == null ? 0 : before);
                }
            }
            for (ZoneRecord zone : state.zones().all()) {
                if (zone.placement().isServed() && zone.placement().backupCount() > 0) {
                    assertThat(zone.ownerEpoch())
                            .as(what + ", " + zone)
                            .isGreaterThanOrEqualTo(
                                    state.presentEpoch(zone.placement().owner()));
                }
                SpareCopies spares = zone.spares();
                if (spares != null) {
                    assertThat(zone.placement().state())
                            .as(what)
                            .isIn(PlacementState.DEGRADED, PlacementState.RECOVERING);
                    assertThat(zone.members()).as(what).noneMatch(member -> spares.isOn(member.nid()));
                }
                assertThat(zone.isRecovering() && zone.members().isEmpty())
                        .as(what)
                        .isFalse();
            }
        }
    }

    private void migrate(long startLid, long endLid, int source, int target) {
        ArcResult begun = state.apply(
                new RangeCommand.BeginMigration(Cid.of(A, startLid), Cid.of(A, endLid), source, 1, target, 1));
        assertThat(begun).isInstanceOf(RangeResult.Migration.class);
        MigrationRecord record = ((RangeResult.Migration) begun).record();
        ArcResult done = state.apply(new RangeCommand.CommitMigration(
                record.creatorNid(), record.number(), record.sourceNid(), record.sourceEpoch()));
        assertThat(((RangeResult.Migration) done).record().state()).isEqualTo(MigrationState.COMMITTED);
    }

    private static ByteBuf bytes(RangeState of) {
        ByteBuf out = Unpooled.buffer();
        of.write(ALL, out);
        return out;
    }
}
