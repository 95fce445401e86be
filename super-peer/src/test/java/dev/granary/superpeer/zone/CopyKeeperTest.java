package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ZoneMessages.LostCopy;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.overlay.BackupZone;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CopyKeeperTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int D = 0x2000;
    private static final int E = 0x6000;
    private static final int ZONE = BackupZone.id(A, 1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_NANOS = 200 * MILLI;

    private final List<FillCopy> fills = new ArrayList<>();
    private final Map<Integer, ZoneEpoch> dropped = new TreeMap<>();

    /** In which incarnation the storage peers say that they are. */
    private long epoch = 1;

    private LoneArc arc = new LoneArc(2);
    private CopyKeeper keeper = keeper();

    private CopyKeeper keeper() {
        return new CopyKeeper(
                arc.lone.node(),
                arc.state,
                arc::commit,
                arc.arcs,
                arc.catalog,
                new ZonePlanner(arc.lone.node(), arc.state, arc.catalog));
    }

    @AfterEach
    void nothingFailed() {
        assertThat(arc.lone.failures).isEmpty();
    }

    private void peers(int... nids) {
        for (int nid : nids) {
            arc.serve(
                    nid,
                    new Answers()
                            .to(MessageType.FILL_COPY, fill -> {
                                fills.add(fill);
                                return new Empty();
                            })
                            .to(MessageType.LIST_COPIES, ask -> new CopyList(epoch, 0, List.of()))
                            .to(MessageType.DROP_COPIES, drop -> {
                                dropped.put(nid, drop.zones().getFirst());
                                return new Empty();
                            }));
        }
    }

    /** Looks once, and lets the answers come. */
    private void look() {
        arc.lone.run(keeper::look);
        arc.lone.runFor(LOOK_NANOS);
    }

    private void restarted(int nid) {
        arc.state.apply(new RangeCommand.FencePeer(nid, 2));
        arc.report(nid, 2, true, PeerInfo.Drain.NONE);
    }

    /** The owner of the zone has filled what it was told to fill last. */
    private void filled() {
        FillCopy fill = fills.getLast();
        List<ZoneMember> added = List.of(new ZoneMember(fill.targetNid(), 1));
        arc.state.apply(new ZoneCommand.ChangeCopies(fill.zone(), A, 1, fill.epoch(), List.of(), added, 2));
    }

    private static ZoneCommand drop(int wanted, Integer... members) {
        return new ZoneCommand.ChangeCopies(ZONE, A, 1, 1, List.of(members), List.of(), wanted);
    }

    @Test
    void look_zoneWithoutMembers_isFilledAtOnceOneCopyAfterTheOther() {
        peers(A, B, C);
        arc.open(A, 1);

        look();
        look();

        assertThat(fills).hasSize(1);
        int first = fills.getFirst().targetNid();
        assertThat(first).isIn(B, C);
        arc.lone.runFor(1000 * MILLI);
        look();
        assertThat(fills).as("told again after a second").hasSize(2).allMatch(fill -> fill.targetNid() == first);
        filled();
        look();
        assertThat(fills.getLast().targetNid()).isEqualTo(first == B ? C : B);
        assertThat(fills.getLast().epoch()).isEqualTo(2);
        assertThat(keeper.fillCount()).isEqualTo(1);
        filled();
        look();
        assertThat(fills).hasSize(3).allMatch(fill -> fill.zone() == ZONE && fill.ownerEpoch() == 1);
        assertThat(keeper.fillCount()).isZero();
        assertThat(arc.committed).isEmpty();
    }

    @Test
    void look_oneMemberIsMissing_isReplacedAfterTwoSeconds() {
        peers(A, B, C);
        arc.open(A, 1, B);
        look();
        arc.lone.runFor(1500 * MILLI);
        look();
        assertThat(fills).isEmpty();
        arc.lone.runFor(200 * MILLI);
        look();
        assertThat(fills).extracting(FillCopy::targetNid).containsExactly(C);
    }

    @Test
    void look_ownerThatEndedOrIsUnknown_isToldNothing() {
        peers(A, B, C);
        arc.open(A, 1);
        arc.report(A, 1, false, PeerInfo.Drain.NONE);
        look();
        arc.report(A, 2, true, PeerInfo.Drain.NONE);
        look();
        assertThat(fills).isEmpty();
        assertThat(keeper.fillCount()).isZero();
    }

    @Test
    void look_memberThatRestarted_isDroppedOnceTheOwnerHasAnswered() {
        peers(A, B, C, D);
        arc.open(A, 1, B, C);
        restarted(B);
        epoch = 9;
        look();
        assertThat(arc.committed).as("another incarnation answers").isEmpty();

        epoch = 1;
        look();

        assertThat(arc.committed).containsExactly(drop(2, B));
        assertThat(dropped).containsExactly(Map.entry(B, new ZoneEpoch(ZONE, 2)));
    }

    @Test
    void look_allMembersRestarted_noneIsDroppedAndOneIsFilled() {
        peers(A, B, C);
        arc.open(A, 1, B, C);
        restarted(B);
        restarted(C);
        look();
        assertThat(arc.committed).isEmpty();
        assertThat(fills).extracting(FillCopy::targetNid).containsExactly(B);
    }

    /** ADR 0228. */
    @Test
    void look_membersRestartedBelowTheFloor_stayForAsLongAsAFillMayTake() {
        arc = new LoneArc(3);
        keeper = keeper();
        peers(A, B, C, D, E);
        arc.open(A, 1, B, C, D);
        restarted(B);
        restarted(C);
        look();
        arc.lone.runFor(TimeUnit.SECONDS.toNanos(59));
        look();
        assertThat(arc.committed).isEmpty();
        arc.lone.runFor(TimeUnit.SECONDS.toNanos(1));
        look();
        assertThat(arc.committed).containsExactly(drop(3, B, C));
    }

    @Test
    void look_memberThatIsDrained_staysUntilItsSuccessorIsFilled() {
        peers(A, B, C, D);
        arc.open(A, 1, B, C);
        arc.report(B, 1, true, PeerInfo.Drain.RUNNING);
        look();
        assertThat(arc.committed).isEmpty();
        assertThat(fills).as("at once").extracting(FillCopy::targetNid).containsExactly(D);
        filled();
        look();
        assertThat(arc.zone(ZONE).members()).extracting(ZoneMember::nid).containsExactly(C, D);
        assertThat(dropped).containsExactly(Map.entry(B, new ZoneEpoch(ZONE, 3)));
    }

    @Test
    void look_tooManyMembers_theLastGoOnceAllStoragePeersAreKnown() {
        peers(A, B, C, D);
        arc.open(A, 1, D, B, C);
        arc.reported = List.of();
        arc.catalog.ownChanged();
        look();
        assertThat(arc.committed).isEmpty();

        arc.reported = List.of(LoneNode.NID);
        arc.catalog.ownChanged();
        look();

        assertThat(arc.committed).containsExactly(drop(2, C));
    }

    @Test
    void look_targetEndsWhileItIsFilled_anotherOneIsChosen() {
        peers(A, B, C);
        arc.open(A, 1);
        look();
        int first = fills.getFirst().targetNid();
        arc.report(first, 1, false, PeerInfo.Drain.NONE);
        look();
        assertThat(fills).hasSize(2);
        assertThat(fills.getLast().targetNid()).isIn(B, C).isNotEqualTo(first);
    }

    @Test
    void look_fillThatDoesNotEnd_goesToAnotherPeerAfterAMinute() {
        peers(A, B, C);
        arc.open(A, 1);
        look();
        int first = fills.getFirst().targetNid();
        arc.lone.runFor(TimeUnit.SECONDS.toNanos(59));
        look();
        assertThat(fills.getLast().targetNid()).isEqualTo(first);
        arc.lone.runFor(TimeUnit.SECONDS.toNanos(1));
        look();
        assertThat(fills.getLast().targetNid()).isNotEqualTo(first);
    }

    @Test
    void look_manyZonesOfOneOwner_fourAreFilledAtATime() {
        peers(A, B, C);
        arc.open(A, 6);
        look();
        assertThat(fills).extracting(FillCopy::zone).hasSize(4).doesNotHaveDuplicates();
        assertThat(keeper.fillCount()).isEqualTo(4);
    }

    @Test
    void look_zonesWithoutCopiesWait_secondCopiesComeAfterTheirFirstOnes() {
        peers(A, B, C);
        arc.open(A, 6);
        look();
        for (int done = 0; done < 3; done++) {
            FillCopy fill = fills.get(done);
            List<ZoneMember> added = List.of(new ZoneMember(fill.targetNid(), 1));
            arc.state.apply(new ZoneCommand.ChangeCopies(fill.zone(), A, 1, fill.epoch(), List.of(), added, 2));
            look();
        }

        assertThat(fills.subList(0, 6)).extracting(FillCopy::zone).doesNotHaveDuplicates();
        assertThat(fills).hasSize(7);
        assertThat(fills.getLast().epoch()).as("of a zone that has a copy").isEqualTo(2);
    }

    /** ADR 0356. */
    @Test
    void look_manyZonesWhoseMembersRestarted_doNotKeepZonesWithoutCopiesWaiting() {
        peers(A, B, C);
        arc.open(A, 8);
        List<ZoneMember> members = List.of(new ZoneMember(B, 1), new ZoneMember(C, 1));
        for (int i = 1; i <= 6; i++) {
            arc.state.apply(new ZoneCommand.ChangeCopies(BackupZone.id(A, i), A, 1, 1, List.of(), members, 2));
        }
        restarted(B);
        restarted(C);
        for (int i = 0; i < 20; i++) {
            look();
        }

        assertThat(fills).extracting(FillCopy::zone).contains(BackupZone.id(A, 7), BackupZone.id(A, 8));
    }

    private void lost(long epoch, int... zones) {
        List<LostCopy> copies = Arrays.stream(zones)
                .mapToObj(zone -> new LostCopy(zone, epoch, B))
                .toList();
        arc.lone.run(() -> keeper.lost(new ReportLostCopies(A, A, 1, copies)));
    }

    /** ADR 0369. */
    @Test
    void look_logOfTheOnlyMemberWasLostAndThereIsNoOtherPeer_itIsFilledUntilTheOwnerSaysNoMore() {
        arc = new LoneArc(1);
        keeper = keeper();
        peers(A, B);
        arc.open(A, 1, B);
        look();
        lost(7, ZONE);
        look();
        assertThat(fills).as("of another epoch").isEmpty();

        lost(1, ZONE);
        look();

        assertThat(fills)
                .containsExactly(new FillCopy(ZONE, 1, 1, B, fills.getFirst().targetAddress()));
        assertThat(arc.committed).as("the last member is not dropped").isEmpty();
        arc.lone.runFor(5000 * MILLI);
        look();
        assertThat(keeper.fillCount()).isZero();
        assertThat(fills).hasSize(1);
    }

    /** ADR 0369. */
    @Test
    void look_logOfTheOnlyMemberWasLostAndThereIsAnotherPeer_thatPeerIsFilled() {
        arc = new LoneArc(1);
        keeper = keeper();
        peers(A, B, C);
        arc.open(A, 1, B);
        lost(1, ZONE);
        look();
        assertThat(fills).extracting(FillCopy::targetNid).containsExactly(C);
        assertThat(arc.committed).isEmpty();
    }

    /** ADR 0369. The zone takes no writes, other than one whose member has restarted and has everything on its disk. */
    @Test
    void look_logsOfMembersWereLostAndOthersHaveRestarted_lostOnesAreFilledFirst() {
        arc = new LoneArc(1);
        keeper = keeper();
        peers(A, B);
        arc.open(A, 8, B);
        restarted(B);
        int[] lost = {BackupZone.id(A, 7), BackupZone.id(A, 8)};
        for (int i = 0; i < 20; i++) {
            lost(1, lost);
            look();
        }
        assertThat(fills).extracting(FillCopy::zone).contains(lost[0], lost[1]);
    }

    @Test
    void look_zoneWithoutChunksLacksMembers_isClosedAndNotFilled() {
        peers(A, B, C);
        arc.open(A, 1, B, C);
        int unused = BackupZone.id(A, 2);
        arc.state.apply(new ZoneCommand.OpenZone(A, C, 1, List.of(), 2));
        assertThat(arc.state.zone(unused)).isNotNull();
        look();
        assertThat(arc.state.zone(unused)).isNull();
        assertThat(arc.committed).hasSize(1);
        assertThat(fills).isEmpty();
    }

    @Test
    void begin_untilStop_tellsTheOwnerAgainEverySecond() {
        peers(A, B, C);
        arc.open(A, 1);
        arc.lone.run(keeper::begin);
        arc.lone.runFor(2900 * MILLI);
        assertThat(fills).hasSize(3);
        arc.lone.run(keeper::stop);
        arc.lone.runFor(5000 * MILLI);
        assertThat(fills).hasSize(3);
    }

    @Test
    void stop_ownerAnswersLater_nothingIsDropped() {
        peers(A, B, C, D);
        arc.open(A, 1, B, C);
        restarted(B);
        arc.lone.run(() -> {
            keeper.look();
            keeper.stop();
        });
        arc.lone.runFor(1000 * MILLI);
        assertThat(arc.committed).isEmpty();
    }
}
