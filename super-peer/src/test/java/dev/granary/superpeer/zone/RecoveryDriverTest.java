package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.Progress;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.PlacementState;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link RecoveryDriver} with {@link RecoveryCandidates} and {@link RecoveryOrders}; the test plays storage peers. */
class RecoveryDriverTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;

    /** Has no copy of any zone. */
    private static final int D = 0x2000;

    private static final int ZONE = BackupZone.id(A, 1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** A zone of epoch 1 whose owner ends is at epoch 2; its copies are sealed for 3. */
    private static final long RECOVERY_EPOCH = 3;

    private final LoneArc arc = new LoneArc(2);
    private final RecoveryDriver driver =
            new RecoveryDriver(arc.lone.node(), arc.state, arc::commit, arc.arcs, arc.catalog);

    /** What each storage peer says of its copies; peers that are not in it are silent. */
    private final Map<Integer, IntFunction<SealedCopies.Copy>> copies = new TreeMap<>();

    /** How large copies are said to be. */
    private final Map<Integer, Long> bytes = new TreeMap<>();

    private final List<ZoneEpoch> sealed = new ArrayList<>();

    /** How far each candidate says that it is; candidates that are not in it are silent. */
    private final Map<Integer, State> states = new TreeMap<>();

    private final Map<Integer, List<RunRecovery>> orders = new TreeMap<>();

    RecoveryDriverTest() {
        for (int nid : new int[] {A, B, C, D}) {
            orders.put(nid, new ArrayList<>());
            arc.serve(
                    nid,
                    new Answers()
                            .to(MessageType.SEAL_ZONES, seal -> {
                                sealed.addAll(seal.zones());
                                IntFunction<SealedCopies.Copy> copy = copies.get(nid);
                                return copy == null
                                        ? null
                                        : new SealedCopies(seal.zones().stream()
                                                .map(zone -> copy.apply(zone.zone()))
                                                .toList());
                            })
                            .to(MessageType.RUN_RECOVERY, order -> {
                                Objects.requireNonNull(orders.get(nid)).add(order);
                                State state = states.get(nid);
                                return state == null
                                        ? null
                                        : new RunRecoveryReply(order.zones().stream()
                                                .map(task ->
                                                        new Progress(task.zone(), task.epoch(), state, 0, 0, "note"))
                                                .toList());
                            }));
        }
    }

    private IntFunction<SealedCopies.Copy> upTo(long lastSequence, boolean continuous, long fencedEpoch) {
        return zone -> new SealedCopies.Copy(
                zone, true, 1, 0, lastSequence, continuous, true, fencedEpoch, bytes.getOrDefault(zone, 0L));
    }

    private IntFunction<SealedCopies.Copy> whole(long lastSequence) {
        return upTo(lastSequence, true, RECOVERY_EPOCH);
    }

    @AfterEach
    void nothingFailed() {
        assertThat(arc.lone.failures).isEmpty();
    }

    /** The owner of some zones with copies on B and C ends, and the driver begins. */
    private void ownerEnds(int zones) {
        arc.open(A, zones, B, C);
        arc.end(A);
        arc.report(A, 1, false, PeerInfo.Drain.NONE);
        arc.lone.run(driver::begin);
    }

    private ZoneRecord.Recovery decision() {
        return Objects.requireNonNull(arc.zone(ZONE).recovery());
    }

    private List<RunRecovery> ordersOf(int nid) {
        return Objects.requireNonNull(orders.get(nid));
    }

    private ZoneStatus.Recovery listed() {
        List<ZoneStatus.Recovery> all = driver.list();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    @Test
    void look_bothMembersAreWhole_oneRecoversUpToWhatBothHave() {
        copies.put(B, whole(10));
        copies.put(C, whole(12));
        states.put(B, State.RUNNING);
        ownerEnds(1);
        arc.lone.runFor(250 * MILLI);

        assertThat(sealed).containsOnly(new ZoneEpoch(ZONE, RECOVERY_EPOCH));
        assertThat(decision())
                .isEqualTo(new ZoneRecord.Recovery(B, 1, 10, 1, List.of(new ZoneMember(B, 1), new ZoneMember(C, 1))));
        RunRecovery.Task task = ordersOf(B).getFirst().zones().getFirst();
        assertThat(task)
                .isEqualTo(new RunRecovery.Task(
                        ZONE,
                        RECOVERY_EPOCH,
                        10,
                        List.of(
                                new RunRecovery.Member(B, LoneNode.address("p" + B)),
                                new RunRecovery.Member(C, LoneNode.address("p" + C))),
                        List.of(new RunRecovery.Span(Cid.firstOf(A), Cid.of(A, 100))),
                        0,
                        false));
        assertThat(ordersOf(C)).isEmpty();
        assertThat(listed().note()).isEqualTo("note");
    }

    @Test
    void look_manyZones_membersShareThem() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        ownerEnds(6);
        arc.lone.runFor(250 * MILLI);
        assertThat(arc.state.zones())
                .extracting(zone -> Objects.requireNonNull(zone.recovery()).candidateNid())
                .containsExactly(B, C, B, C, B, C);
        assertThat(driver.list()).hasSize(6);
    }

    @Test
    void look_oneMemberIsSilent_isWaitedForShortly() {
        copies.put(C, whole(10));
        ownerEnds(1);
        arc.lone.runFor(100 * MILLI);
        assertThat(arc.zone(ZONE).recovery()).isNull();
        assertThat(listed().waitingFor()).containsExactly(B);
        arc.lone.runFor(250 * MILLI);
        assertThat(decision().kept()).containsExactly(new ZoneMember(C, 1));
        assertThat(listed().candidateNid()).isEqualTo(C);
        assertThat(listed().waitingFor()).isEmpty();
    }

    @Test
    void look_noCopyIsContinuous_waitsForAllUntilAPersonAcceptsTheLoss() {
        copies.put(C, upTo(10, false, RECOVERY_EPOCH));
        arc.report(B, 1, false, PeerInfo.Drain.NONE);
        ownerEnds(1);
        arc.lone.runFor(10 * SECOND);
        assertThat(arc.committed).isEmpty();
        assertThat(listed().waitingFor()).containsExactly(B);

        arc.lone.run(() -> driver.acceptLoss(ZONE));
        arc.lone.runFor(250 * MILLI);

        assertThat(decision().candidateNid()).isEqualTo(C);
    }

    @Test
    void look_noMemberHasACopy_theZoneIsLost() {
        IntFunction<SealedCopies.Copy> none =
                zone -> new SealedCopies.Copy(zone, false, 0, 0, 0, false, false, RECOVERY_EPOCH, 0);
        copies.put(B, none);
        copies.put(C, none);
        ownerEnds(1);
        arc.lone.runFor(250 * MILLI);
        assertThat(arc.zone(ZONE).placement().state()).isEqualTo(PlacementState.LOST);
        assertThat(driver.list()).isEmpty();
    }

    @Test
    void look_copyIsSealedByALaterRecovery_doesNotCount() {
        copies.put(B, upTo(10, true, RECOVERY_EPOCH + 1));
        ownerEnds(1);
        arc.lone.runFor(2 * SECOND);
        assertThat(arc.committed).isEmpty();
    }

    @Test
    void look_candidateHasNoRoom_theOtherMemberRecovers() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.NO_ROOM);
        states.put(C, State.RUNNING);
        ownerEnds(1);
        arc.lone.runFor(1 * SECOND);
        assertThat(ordersOf(B)).hasSize(1);
        assertThat(decision().candidateNid()).isEqualTo(C);
        assertThat(arc.zone(ZONE).recoveryEpoch()).isEqualTo(RECOVERY_EPOCH + 1);
        assertThat(sealed).as("sealed again, for the next epoch").contains(new ZoneEpoch(ZONE, RECOVERY_EPOCH + 1));
    }

    /** What leaves the peer again is served meanwhile; where nobody takes it, it is not. */
    @Test
    void look_onlyAPeerThatIsBeingDrainedHasRoom_thatRecovers() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.NO_ROOM);
        states.put(C, State.NO_ROOM);
        states.put(D, State.RUNNING);
        arc.report(D, 1, true, PeerInfo.Drain.RUNNING);
        ownerEnds(1);
        arc.lone.runFor(1_500 * MILLI);

        assertThat(decision().candidateNid()).isEqualTo(D);
        assertThat(ordersOf(D)).isNotEmpty();
    }

    @Test
    void look_nobodyHasRoom_aPeerThatIsDrainedIsNotAskedAndTheReasonIsToldOnce() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.NO_ROOM);
        states.put(C, State.NO_ROOM);
        arc.report(D, 1, true, PeerInfo.Drain.DONE);
        ownerEnds(1);
        arc.lone.runFor(10 * SECOND);

        assertThat(ordersOf(D)).isEmpty();
        assertThat(listed().note())
                .isEqualTo("no storage peer has room for it (note): storage peer 0x4000 has the most room, 0 MiB");
    }

    /** A zone cannot be split. */
    @Test
    void look_nobodyHasRoomThoughAllTogetherHave_saysHowMuchTheZoneNeedsAndWhoHasMost() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.NO_ROOM);
        states.put(C, State.NO_ROOM);
        states.put(D, State.NO_ROOM);
        bytes.put(ZONE, 70L << 20);
        ownerEnds(1);
        arc.reportRoom(B, 40L << 20);
        arc.reportRoom(C, 60L << 20);
        arc.report(D, 1, true, PeerInfo.Drain.DONE);
        arc.lone.runFor(10 * SECOND);

        assertThat(listed().note())
                .isEqualTo(
                        "no storage peer has room for it (note): it needs about 70 MiB, and storage peer 0xc000 has the"
                                + " most room, 60 MiB; all together have 100 MiB, but one must take the whole zone");
    }

    @Test
    void look_candidateCannotReadItsCopy_isLeftOut() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.DAMAGED);
        states.put(C, State.RUNNING);
        ownerEnds(1);
        arc.lone.runFor(1 * SECOND);
        assertThat(decision().kept()).containsExactly(new ZoneMember(C, 1));
        assertThat(ordersOf(C).getLast().zones().getFirst().acceptDamage()).isFalse();
    }

    @Test
    void look_candidateEnds_theRecoveryIsRestarted() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.RUNNING);
        ownerEnds(1);
        arc.lone.runFor(250 * MILLI);
        assertThat(decision().candidateNid()).isEqualTo(B);

        arc.report(B, 2, false, PeerInfo.Drain.NONE);
        arc.state.apply(new RangeCommand.FencePeer(B, 2));
        copies.remove(B);
        arc.lone.runFor(1 * SECOND);

        assertThat(arc.committed)
                .contains(new ZoneCommand.RestartRecoveries(A, List.of(new ZoneCommand.ZoneAt(ZONE, 2))));
        assertThat(decision().candidateNid()).isEqualTo(C);
    }

    @Test
    void look_candidateIsSilent_isGivenUpAfterFifteenSeconds() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        ownerEnds(1);
        arc.lone.runFor(14 * SECOND);
        assertThat(arc.committed).hasSize(1);
        assertThat(ordersOf(B)).as("told again").hasSizeGreaterThan(5);
        arc.lone.runFor(2 * SECOND);
        assertThat(arc.committed.get(1)).isInstanceOf(ZoneCommand.RestartRecoveries.class);
        assertThat(listed().note()).isEqualTo("storage peer 0x4000 does not answer");
    }

    @Test
    void ended_theCandidateIsTheOwner_isCountedAndForgotten() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.DONE);
        ownerEnds(1);
        arc.lone.runFor(250 * MILLI);
        arc.state.apply(new ZoneCommand.EndRecovery(ZONE, RECOVERY_EPOCH, B, 1, 2));
        arc.lone.run(() -> driver.ended(new Recovered(ZONE, RECOVERY_EPOCH, B, 1, 5, 60, false)));
        assertThat(driver.recoveredCount()).isEqualTo(1);
        assertThat(driver.list()).isEmpty();
        int told = ordersOf(B).size();
        arc.lone.runFor(1 * SECOND);
        assertThat(ordersOf(B)).hasSize(told);
    }

    @Test
    void stop_answersThatComeLate_decideNothing() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        arc.open(A, 1, B, C);
        arc.end(A);
        arc.lone.run(() -> {
            driver.look();
            driver.stop();
        });
        arc.lone.runFor(1 * SECOND);
        assertThat(sealed).hasSize(2);
        assertThat(arc.committed).isEmpty();
    }

    /** One order has 64 zones: without an order by size the large ones would wait for some rounds of small ones. */
    @Test
    void look_fewLargeZonesAmongManySmallOnes_largeOnesAreOrderedFirstAndShared() {
        copies.put(B, whole(10));
        copies.put(C, whole(10));
        states.put(B, State.RUNNING);
        states.put(C, State.RUNNING);
        for (int number = 1; number <= 200; number++) {
            bytes.put(BackupZone.id(A, number), number > 196 ? 1L << 28 : 1_000L + number);
        }
        ownerEnds(200);
        arc.lone.runFor(400 * MILLI);

        for (int nid : List.of(B, C)) {
            List<Integer> first = ordersOf(nid).getFirst().zones().stream()
                    .map(task -> BackupZone.numberOf(task.zone()))
                    .toList();
            assertThat(first).hasSize(64);
            assertThat(first.subList(0, 2)).as("the large zones of %x", nid).allMatch(number -> number > 196);
            assertThat(first.subList(2, 64)).isSortedAccordingTo((one, other) -> other - one);
        }
    }
}
