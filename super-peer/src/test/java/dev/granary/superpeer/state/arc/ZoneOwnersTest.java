package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.tree.CidTree;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ZoneCommand.ChangeCopies;
import dev.granary.superpeer.state.arc.ZoneCommand.OpenZone;
import dev.granary.superpeer.state.arc.ZoneCommand.ZoneAt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** {@link ZoneState} alone: who owns which zones when commands are late, come twice or name the wrong ones. */
class ZoneOwnersTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int D = 0x2000;
    private static final int E = 0xA000;
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);

    private final CidTree ranges = new CidTree();
    private final Map<Integer, Long> holders = new TreeMap<>();
    private final MigrationTable migrations = new MigrationTable();
    private final ZoneState zones = new ZoneState(() -> ranges, holders, migrations);

    private static ZoneMember member(int nid) {
        return new ZoneMember(nid, 1);
    }

    private static List<ZoneMember> members(int... nids) {
        List<ZoneMember> list = new ArrayList<>();
        for (int nid : nids) {
            list.add(member(nid));
        }
        return list;
    }

    /** Makes a zone of A's chunks that an owner serves, with a range of its own. */
    private int served(int owner, boolean shared, int... nids) {
        ZoneRecord made = zones.make(A, 1, member(owner), members(nids), 2, shared);
        long lid = 100L * BackupZone.numberOf(made.id());
        ranges.insert(Cid.of(A, lid), Cid.of(A, lid + 99), made.placement());
        return made.id();
    }

    private ZoneRecord zone(int id) {
        return Objects.requireNonNull(zones.find(id));
    }

    private Placement of(ArcResult result) {
        assertThat(result).isInstanceOf(RangeResult.Zone.class);
        return ((RangeResult.Zone) result).placement();
    }

    private static String notNow(ArcResult result) {
        assertThat(result).isInstanceOf(RangeResult.NotNow.class);
        return ((RangeResult.NotNow) result).message();
    }

    private Placement ofRange(int zone) {
        return ranges.find(Cid.of(A, 100L * BackupZone.numberOf(zone)))
                .orElseThrow()
                .placement();
    }

    private int recovering(int... nids) {
        int zone = served(B, false, nids);
        holders.put(B, 2L);
        zones.endOwners();
        assertThat(zone(zone).isRecovering()).isTrue();
        return zone;
    }

    private void decide(int zone, long epoch, int candidate, long candidateEpoch) {
        zones.apply(new ZoneCommand.DecideRecoveries(
                A,
                List.of(new ZoneCommand.Decision(
                        zone, epoch, new ZoneRecord.Recovery(candidate, candidateEpoch, 7, 0, members(C, D))))));
    }

    private Placement end(int zone, long epoch, int nid) {
        return of(zones.apply(new ZoneCommand.EndRecovery(zone, epoch, nid, 1, 2)));
    }

    @Test
    void make_membersThatCannotBe_areLeftOut() {
        holders.put(D, 2L);
        ZoneRecord made = zones.make(A, 1, member(A), members(A, B, B, D, C), 2, false);
        assertThat(made.members()).containsExactly(member(B), member(C));
        ZoneRecord full = zones.make(A, 1, member(A), members(B, C, E, 0x6000), 2, false);
        assertThat(full.members()).as("no more than a placement has").hasSize(Placement.MAX_BACKUPS);
        assertThat(BackupZone.numberOf(full.id())).isEqualTo(2);
        assertThat(zones.numbersLeft(A)).isEqualTo(BackupZone.MAX_NUMBER - 2);
    }

    @Test
    void open_twice_oneZoneForAnOwnerAndANewOneForItsNextIncarnation() {
        Placement first = of(zones.apply(new OpenZone(A, B, 1, members(C), 1)));
        assertThat(of(zones.apply(new OpenZone(A, B, 1, members(D), 1)))).isEqualTo(first);
        assertThat(of(zones.apply(new OpenZone(A, C, 1, members(D), 1))).zone()).isNotEqualTo(first.zone());
        holders.put(B, 2L);
        assertThat(notNow(zones.apply(new OpenZone(A, B, 1, members(C), 1)))).contains("has ended");
        zones.endOwners();
        assertThat(of(zones.apply(new OpenZone(A, B, 2, members(C), 1))).zone()).isNotEqualTo(first.zone());
    }

    @Test
    void open_chunksOfTheCreatorAtAHigherEpoch_theZoneIsAboveIt() {
        ranges.insert(Cid.of(A, 1), Cid.of(A, 50), Placement.unreplicated(A, 9));
        ranges.insert(Cid.of(D, 1), Cid.of(D, 50), Placement.unreplicated(D, 90));
        assertThat(of(zones.apply(new OpenZone(A, B, 1, members(C), 1))).epoch())
                .isEqualTo(10);
    }

    @Test
    void open_zoneThatTheOwnerHasRecovered_isOpenedAgain() {
        int zone = served(B, true, C, D);
        holders.put(B, 2L);
        zones.endOwners();
        decide(zone, 2, C, 1);
        end(zone, 3, C);
        assertThat(zones.openOf(A, C)).isNull();

        assertThat(of(zones.apply(new OpenZone(A, C, 1, members(E), 1))).zone()).isEqualTo(zone);

        assertThat(Objects.requireNonNull(zones.openOf(A, C)).id()).isEqualTo(zone);
    }

    @Test
    void open_noNumberLeft_saysWhy() {
        zones.rebuilt(List.of(), Map.of(A, BackupZone.MAX_NUMBER));
        assertThat(notNow(zones.apply(new OpenZone(A, B, 1, members(C), 1))))
                .isEqualTo(PeerState.outOfNumbersMessage(A));
    }

    @Test
    void change_ofAnotherOwnerIncarnationEpochOrZone_changesNothing() {
        int zone = served(B, false, C);
        Placement before = zone(zone).placement();
        List<ZoneMember> added = members(D);
        for (ChangeCopies late : List.of(
                new ChangeCopies(zone, E, 1, 1, List.of(), added, 2),
                new ChangeCopies(zone, B, 2, 1, List.of(), added, 2),
                new ChangeCopies(zone, B, 1, 2, List.of(), added, 2))) {
            assertThat(of(zones.apply(late))).as(late.toString()).isEqualTo(before);
        }
        holders.put(B, 2L);
        assertThat(of(zones.apply(new ChangeCopies(zone, B, 1, 1, List.of(), added, 2))))
                .isEqualTo(before);
        assertThat(notNow(zones.apply(new ChangeCopies(zone + 1, B, 1, 1, List.of(), added, 2))))
                .contains("no zone");
    }

    @Test
    void change_memberThatStartedAnewFillsItsCopy_isThereOnceWithItsNewIncarnation() {
        int zone = served(B, false, C, D);
        of(zones.apply(new ChangeCopies(zone, B, 1, 1, List.of(), List.of(new ZoneMember(C, 5)), 2)));
        assertThat(zone(zone).members()).containsExactly(member(D), new ZoneMember(C, 5));
        assertThat(ofRange(zone)).isEqualTo(zone(zone).placement());
    }

    @Test
    void change_zoneFullOfMembersThatEnded_oneOfThemMakesRoom() {
        int zone = served(B, false, C, D, E);
        assertThat(of(zones.apply(new ChangeCopies(zone, B, 1, 1, List.of(), members(0x6000), 3))))
                .as("no member has ended")
                .isEqualTo(ofRange(zone));
        holders.put(D, 2L);
        of(zones.apply(new ChangeCopies(zone, B, 1, 1, List.of(), members(0x6000), 3)));
        assertThat(zone(zone).members()).containsExactly(member(C), member(E), member(0x6000));
    }

    @Test
    void decide_lateSecondOrForAnEndedCandidate_countsNot() {
        int zone = recovering(C, D);
        decide(zone, 1, C, 1);
        assertThat(zone(zone).recovery()).as("decided at an earlier epoch").isNull();
        holders.put(C, 2L);
        decide(zone, 2, C, 1);
        assertThat(zone(zone).recovery()).as("the candidate has ended").isNull();
        decide(zone, 2, D, 1);
        decide(zone, 2, E, 1);
        assertThat(Objects.requireNonNull(zone(zone).recovery()).candidateNid()).isEqualTo(D);
    }

    @Test
    void end_byWhoIsNotTheCandidateOrInAnotherEpoch_changesNothing() {
        int zone = recovering(C, D);
        Placement before = zone(zone).placement();
        assertThat(end(zone, 3, C)).as("nothing is decided").isEqualTo(before);
        decide(zone, 2, C, 1);
        assertThat(end(zone, 3, D)).isEqualTo(before);
        assertThat(end(zone, 2, C)).isEqualTo(before);
        assertThat(of(zones.apply(new ZoneCommand.EndRecovery(zone, 3, C, 2, 2))))
                .isEqualTo(before);

        Placement after = end(zone, 3, C);

        assertThat(after).isEqualTo(new Placement(C, new int[] {D}, 3, zone, PlacementState.DEGRADED));
        assertThat(ofRange(zone)).isEqualTo(after);
        assertThat(end(zone, 3, C)).as("once more").isEqualTo(after);
        assertThat(notNow(zones.apply(new ZoneCommand.EndRecovery(zone + 1, 3, C, 1, 2))))
                .contains("no zone");
    }

    @Test
    void restartAndLose_atTheEpochOnly_endWhatWasDecided() {
        int zone = recovering(C, D);
        decide(zone, 2, C, 1);
        zones.apply(new ZoneCommand.RestartRecoveries(A, List.of(new ZoneAt(zone, 1), new ZoneAt(zone + 1, 2))));
        assertThat(zone(zone).placement().epoch()).isEqualTo(2);
        zones.apply(new ZoneCommand.RestartRecoveries(A, List.of(new ZoneAt(zone, 2))));
        assertThat(zone(zone).recovery()).isNull();
        assertThat(zone(zone).members()).containsExactly(member(C), member(D));
        assertThat(end(zone, 3, C).state()).isEqualTo(PlacementState.RECOVERING);

        zones.apply(new ZoneCommand.LoseZones(A, List.of(new ZoneAt(zone, 2))));
        assertThat(zone(zone).isRecovering()).isTrue();
        zones.apply(new ZoneCommand.LoseZones(A, List.of(new ZoneAt(zone, 3))));
        assertThat(ofRange(zone).state()).isEqualTo(PlacementState.LOST);
        assertThat(zones.counts().lost()).isEqualTo(1);
        assertThat(zones.counts().recovering()).isZero();
    }

    @Test
    void close_zoneThatIsUsedMayBeOrIsAtAnotherEpoch_stays() {
        int used = served(B, true, C);
        int unused = zones.make(A, 1, member(E), members(C), 1, true).id();
        migrations.begin(new MigrationRecord(
                A, migrations.nextNumber(), Cid.of(A, 1), Cid.of(A, 2), A, 1, E, 1, MigrationState.RUNNING, 0, ""));
        List<ZoneAt> all = List.of(new ZoneAt(used, 1), new ZoneAt(unused, 1));
        zones.apply(new ZoneCommand.CloseZones(A, all));
        assertThat(zones.all()).extracting(ZoneRecord::id).containsExactly(used, unused);

        migrations.abort(any -> true, "");
        zones.apply(new ZoneCommand.CloseZones(A, List.of(new ZoneAt(unused, 2))));
        assertThat(zones.find(unused)).isNotNull();
        long mark = zones.markOf(E);
        zones.apply(new ZoneCommand.CloseZones(A, all));

        assertThat(zones.all()).extracting(ZoneRecord::id).containsExactly(used);
        assertThat(zones.markOf(E)).as("its owner asks what has become of it").isNotEqualTo(mark);
        assertThat(zones.numbersLeft(A)).as("a number is given once").isEqualTo(BackupZone.MAX_NUMBER - 2);
    }

    @Test
    void endOwners_withCopiesOrNoneOrNoRange_recoverAreLostOrForgotten() {
        int copied = served(B, false, C);
        int alone = served(B, true);
        int own = zones.make(A, 1, member(A), List.of(), 0, false).id();
        ranges.insert(Cid.of(A, 300), Cid.of(A, 399), zone(own).placement());
        int empty = zones.make(A, 1, member(B), members(C), 1, true).id();
        int others = served(C, true, D);
        holders.put(A, 2L);
        holders.put(B, 2L);

        zones.endOwners();

        assertThat(ofRange(copied).state()).isEqualTo(PlacementState.RECOVERING);
        assertThat(ofRange(alone).state()).isEqualTo(PlacementState.LOST);
        assertThat(zone(own).placement().owner())
                .as("its creator takes it back")
                .isEqualTo(A);
        assertThat(zones.find(empty)).isNull();
        assertThat(ofRange(others).owner()).isEqualTo(C);
    }

    @Test
    void endOwners_shouldHaveHadBackupsAndNeverHadOne_itsLidsAreTheCreatorsWithoutAZone() {
        ZoneRecord made = zones.make(A, 4, member(A), List.of(), 2, false);
        assertThat(made.placement().state()).isEqualTo(PlacementState.DEGRADED);
        ranges.insert(Cid.of(A, 100), Cid.of(A, 199), made.placement());
        long mark = zones.markOf(A);
        holders.put(A, 2L);

        zones.endOwners();

        assertThat(ofRange(made.id())).isEqualTo(Placement.unreplicated(A, 5));
        assertThat(zones.find(made.id())).isNull();
        assertThat(zones.counts().lost()).isZero();
        assertThat(zones.markOf(A)).isNotEqualTo(mark);
        assertThat(zones.make(A, 5, member(A), List.of(), 0, false).id())
                .as("a number is given once")
                .isEqualTo(BackupZone.id(A, 2));
    }

    @Test
    void endOwners_ownerThatRecoveredAndHadNoMember_itsLogIsTheCopy() {
        int zone = recovering(C);
        decide(zone, 2, C, 1);
        end(zone, 3, C);
        assertThat(zone(zone).members()).containsExactly(member(D));
        of(zones.apply(new ChangeCopies(zone, C, 1, 3, List.of(D), List.of(), 0)));
        holders.put(C, 2L);
        zones.endOwners();
        assertThat(ofRange(zone).state()).as("it went on without a copy").isEqualTo(PlacementState.LOST);
    }

    @Test
    void dropEmpty_zonesWithoutRanges_onlyThoseThatNobodyServes() {
        int kept = zones.make(A, 1, member(C), members(D), 1, true).id();
        int dropped = zones.make(A, 1, member(B), members(D), 1, true).id();
        int used = served(B, true, D);
        holders.put(B, 2L);
        zones.dropEmpty(A);
        assertThat(zones.all()).extracting(ZoneRecord::id).containsExactly(kept, used);
        assertThat(zones.find(dropped)).isNull();
    }

    @Test
    void raise_epochThatIsHighAlready_isLeftAlone() {
        int zone = served(B, true, C);
        assertThat(zones.raise(zone(zone), 0).placement().epoch()).isEqualTo(1);
        assertThat(zones.raise(zone(zone), 1).placement().epoch()).isEqualTo(2);
        assertThat(ofRange(zone).epoch()).isEqualTo(2);
    }

    @Test
    void marks_zoneThatGetsAnotherOwner_changeForBoth() {
        int zone = recovering(C, D);
        decide(zone, 2, C, 1);
        long before = zones.markOf(B);
        long candidate = zones.markOf(C);
        end(zone, 3, C);
        assertThat(zones.markOf(C)).isNotEqualTo(candidate);
        assertThat(zones.markOf(B)).isEqualTo(before);
        assertThat(zones.markOf(E)).isZero();
    }

    @Test
    void writeAndRead_partOfTheCreators_goesOnAsBefore() {
        int zone = recovering(C, D);
        decide(zone, 2, C, 1);
        zones.make(D, 4, member(D), members(C), 1, true);
        ZoneState read = new ZoneState(() -> ranges, holders, new MigrationTable());
        read.add(zones.part(new Arc(D, A)));
        assertThat(read.all()).containsExactly(zone(zone));
        assertThat(read.numbersLeft(A)).isEqualTo(zones.numbersLeft(A));
        assertThat(read.numbersLeft(D)).isEqualTo(BackupZone.MAX_NUMBER);
        assertThat(read.counts().recovering()).isEqualTo(1);

        zones.remove(new Arc(D, A));
        assertThat(zones.of(A)).isEmpty();
        assertThat(zones.counts().recovering()).isZero();
        assertThat(zones.of(D)).hasSize(1);
        zones.remove(ALL);
        assertThat(zones.all()).isEmpty();
        assertThat(zones.leastNumbersLeft()).isEqualTo(BackupZone.MAX_NUMBER);
        assertThat(zones.counts().copies()).isEmpty();
    }

    @Test
    void addStrangers_ownersMembersAndCandidates_withWhatIsKnownOfThem() {
        int zone = recovering(C, D);
        decide(zone, 2, E, 1);
        holders.put(D, 4L);
        Map<Integer, Long> found = new TreeMap<>();
        zones.addStrangers(found);
        assertThat(found).isEqualTo(Map.of(C, 0L, D, 4L, E, 0L));
        assertThat(zones.hasCopies(A)).isFalse();
        served(A, false, C);
        assertThat(zones.hasCopies(A)).isTrue();
    }
}
