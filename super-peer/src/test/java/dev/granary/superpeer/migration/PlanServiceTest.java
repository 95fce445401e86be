package dev.granary.superpeer.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.MigrationMessages.SurveyReply.Piece;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.PlanMetrics;
import dev.granary.superpeer.state.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlanServiceTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final long INCARNATION = 7;
    private static final long MIB = 1 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneArc arc = new LoneArc(0);
    private final PlanService plans = new PlanService(
            arc.lone.node(),
            arc.state,
            arc::commit,
            arc.service,
            arc.arcs,
            new PlanMaker(arc.state, arc.arcs, () -> arc.ring));
    private final List<DrainPeer> drains = new ArrayList<>();
    private final List<Long> migrated = new ArrayList<>();
    private final List<Long> aborted = new ArrayList<>();

    /** The zones without an owner, as all super-peers tell. */
    private List<ZoneStatus.Recovery> recoveries = List.of();

    /** What each storage peer owns. */
    private List<Piece> pieces = List.of(new Piece(Cid.of(A, 1), Cid.of(A, 9), 9, 72));

    PlanServiceTest() {
        for (int nid : new int[] {A, B}) {
            arc.serve(
                    nid,
                    new Answers()
                            .to(MessageType.SURVEY, ask -> new SurveyReply(Cid.NONE, pieces))
                            .to(MessageType.DRAIN_PEER, drain -> {
                                drains.add(drain);
                                return new Empty();
                            }));
            arc.open(nid, 1);
        }
        arc.lone.answer(MessageType.START_PLAN, plans::startPlan);
        arc.lone.answer(MessageType.ABORT_PLAN, plans::abortPlan);
        arc.lone.answer(MessageType.RENEW_LEASE, arc.service::renewLease);
        arc.lone.answer(
                MessageType.LIST_PEERS,
                (request, empty) ->
                        request.reply(new PeerList(1, arc.service.peerInfos(), List.of(LoneNode.NID), List.of())));
        arc.lone.answer(
                MessageType.ZONE_STATUS,
                (request, empty) -> request.reply(new ZoneStatus(0, 0, 0, 0, 0, recoveries, List.of(), List.of())));
        arc.lone.answer(MessageType.MIGRATE, (request, migrate) -> {
            migrated.add(Cid.lid(migrate.startCid()));
            request.reply(running(Cid.lid(migrate.startCid())));
        });
        arc.lone.answer(MessageType.ASK_MIGRATION, (request, ask) -> request.reply(running(ask.number())));
        arc.lone.answer(MessageType.ABORT_MIGRATION, (request, abort) -> {
            aborted.add(abort.number());
            request.reply(running(abort.number()));
        });
        arc.lone.run(arc::begin);
        arc.lone.runFor(SECOND / 10);
        // Room for what is moved: a storage peer says itself how much memory it has.
        holds(A, 10 * MIB);
        holds(B, 0);
        arc.committed.clear();
    }

    private static MigrationReply running(long number) {
        return new MigrationReply(A, number, MigrationState.RUNNING, 0, "");
    }

    private void holds(int nid, long payloadBytes) {
        PeerStatistics statistics = new PeerStatistics(1000, payloadBytes, 0, payloadBytes, 1000 * MIB, 0, 0);
        arc.lone.reply(MessageType.RENEW_LEASE, new RenewLease(nid, INCARNATION, 1, statistics));
    }

    @AfterEach
    void nothingFailed() {
        arc.lone.run(plans::stop);
        assertThat(arc.lone.failures).isEmpty();
    }

    private PlanReply start(PlanKind kind, int nid) {
        return arc.lone.reply(MessageType.START_PLAN, new StartPlan(kind, nid, 0, 0));
    }

    private Plan plan(long number) {
        return Objects.requireNonNull(arc.state.plan(number));
    }

    @Test
    void startPlan_drain_isCommittedOnceAndCarriedOut() {
        PlanReply begun = start(PlanKind.DRAIN, A);
        assertThat(begun).isEqualTo(new PlanReply(A, 1, 1, 72));
        assertThat(start(PlanKind.DRAIN, A)).as("the request comes again").isEqualTo(begun);
        assertThat(arc.committed).hasSize(1);
        assertThat(migrated).as("not before it has begun").isEmpty();

        arc.lone.run(plans::begin);
        arc.lone.runFor(SECOND);

        assertThat(migrated).containsExactly(1L);
        assertThat(drains).isNotEmpty().containsOnly(new DrainPeer(1, true));
        assertThat(plan(1).state()).isEqualTo(Plan.State.RUNNING);
        assertThat(PlanService.view(List.of(arc.state)))
                .isEqualTo(new PlanMetrics.View(Map.of(PlanKind.DRAIN, 1), 1, 72, 0));
    }

    /** A command that had no answer in time asks again while the plan is still being made. */
    @Test
    void startPlan_comesAgainBeforeItIsCommitted_bothAnswersNameTheOnePlan() {
        StartPlan asked = new StartPlan(PlanKind.DRAIN, A, 0, 0);
        CompletableFuture<PlanReply> first = arc.lone.ask(MessageType.START_PLAN, asked);
        CompletableFuture<PlanReply> second = arc.lone.ask(MessageType.START_PLAN, asked);
        arc.lone.runFor(SECOND);
        assertThat(first).isCompletedWithValue(new PlanReply(A, 1, 1, 72));
        assertThat(second).isCompletedWithValue(new PlanReply(A, 1, 1, 72));
        assertThat(arc.state.plans()).hasSize(1);
    }

    @Test
    void startPlan_anotherPlanOfThePeerRuns_isRefused() {
        start(PlanKind.SPREAD, B);
        assertThat(arc.lone
                        .refusal(MessageType.START_PLAN, new StartPlan(PlanKind.DRAIN, B, 0, 0))
                        .message())
                .contains("is being carried out already");
    }

    @Test
    void abortPlan_thatRuns_abortsItsMigrationsAndThePeerTakesChunksAgain() {
        start(PlanKind.DRAIN, A);
        arc.lone.run(plans::begin);
        arc.lone.runFor(SECOND);
        arc.lone.reply(MessageType.ABORT_PLAN, new AbortPlan(A, 1));
        assertThat(plan(1).state()).isEqualTo(Plan.State.ABORTED);
        assertThat(arc.lone
                        .node()
                        .metrics()
                        .registry()
                        .getSampleValue(
                                "granary_superpeer_plans_total",
                                new String[] {"kind", "outcome"},
                                new String[] {"drain", "aborted"}))
                .isEqualTo(1);
        // What was sent before the abort may still be on its way.
        arc.lone.runFor(SECOND / 10);
        drains.clear();
        arc.lone.runFor(SECOND);
        assertThat(aborted).containsExactly(1L);
        assertThat(drains).isNotEmpty().containsOnly(new DrainPeer(1, false));
        assertThat(migrated).hasSize(1);
        assertThat(arc.lone.refusal(MessageType.ABORT_PLAN, new AbortPlan(A, 1)).code())
                .as("it has ended")
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void abortPlan_thatIsNotThere_saysHowToFindThem() {
        start(PlanKind.DRAIN, A);
        for (AbortPlan wrong : List.of(new AbortPlan(A, 2), new AbortPlan(B, 1))) {
            assertThat(arc.lone.refusal(MessageType.ABORT_PLAN, wrong).code()).isEqualTo(ErrorCode.NOT_FOUND);
            assertThat(arc.lone.refusal(MessageType.ABORT_PLAN, wrong).message())
                    .contains("granary plan show");
        }
    }

    @Test
    void startPlan_move_isOfOneCreatorInOrder() {
        for (StartPlan wrong : List.of(
                new StartPlan(PlanKind.MOVE, B, Cid.of(A, 1), Cid.of(B, 9)),
                new StartPlan(PlanKind.MOVE, B, Cid.of(A, 9), Cid.of(A, 1)),
                new StartPlan(PlanKind.MOVE, B, Cid.of(A, 0), Cid.of(A, 1)))) {
            assertThat(arc.lone.refusal(MessageType.START_PLAN, wrong).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        }
        StartPlan move = new StartPlan(PlanKind.MOVE, B, Cid.of(A, 1), Cid.of(A, 9));
        assertThat(PlanService.homeOf(move)).isEqualTo(A);
        assertThat(arc.lone.reply(MessageType.START_PLAN, move).number()).isEqualTo(1);
        StartPlan another = new StartPlan(PlanKind.MOVE, B, Cid.of(A, 1), Cid.of(A, 8));
        assertThat(arc.lone.reply(MessageType.START_PLAN, another).number())
                .as("of moves there may be many")
                .isEqualTo(2);
    }

    /** The answer was late and the command asked again: a second plan would find its chunks on their way, and fail. */
    @Test
    void startPlan_sameMoveComesAgain_bothAnswersNameTheOnePlanWhileItRuns() {
        StartPlan move = new StartPlan(PlanKind.MOVE, B, Cid.of(A, 1), Cid.of(A, 9));
        CompletableFuture<PlanReply> first = arc.lone.ask(MessageType.START_PLAN, move);
        CompletableFuture<PlanReply> second = arc.lone.ask(MessageType.START_PLAN, move);
        arc.lone.runFor(SECOND);
        assertThat(first).isCompletedWithValue(new PlanReply(A, 1, 1, 72));
        assertThat(second).isCompletedWithValue(new PlanReply(A, 1, 1, 72));
        assertThat(arc.lone.reply(MessageType.START_PLAN, move).number()).isEqualTo(1);
        assertThat(arc.state.plans()).hasSize(1);

        arc.lone.reply(MessageType.ABORT_PLAN, new AbortPlan(A, 1));

        assertThat(arc.lone.reply(MessageType.START_PLAN, move).number())
                .as("it does not run any more")
                .isEqualTo(2);
    }

    @Test
    void startPlan_sameImpossiblePlanIsAskedForTwice_bothAnswersSayWhy() {
        StartPlan asked = new StartPlan(PlanKind.DRAIN, 0x2000, 0, 0);
        CompletableFuture<PlanReply> first = arc.lone.ask(MessageType.START_PLAN, asked);
        CompletableFuture<PlanReply> second = arc.lone.ask(MessageType.START_PLAN, asked);
        arc.lone.runFor(SECOND);
        for (CompletableFuture<PlanReply> answer : List.of(first, second)) {
            assertThat(SimulatedRing.errorOf(answer).message())
                    .isEqualTo("there is no storage peer 0x2000 with a lease");
        }
        assertThat(arc.lone.refusal(MessageType.START_PLAN, asked).message()).contains("0x2000");
    }

    @Test
    void startPlan_cannotBeMade_saysWhy() {
        assertThat(arc.lone
                        .refusal(MessageType.START_PLAN, new StartPlan(PlanKind.DRAIN, 0x2000, 0, 0))
                        .message())
                .isEqualTo("there is no storage peer 0x2000 with a lease");
        start(PlanKind.DRAIN, A);
        assertThat(arc.lone
                        .refusal(MessageType.START_PLAN, new StartPlan(PlanKind.SPREAD, A, 0, 0))
                        .message())
                .startsWith("storage peer 0x8000 is drained");
    }

    @Test
    void begin_storagePeerIsNew_getsItsShareAfterFiveSecondsAndOnce() {
        holds(A, 900 * MIB);
        pieces = List.of(new Piece(Cid.of(A, 1), Cid.of(A, 9), 9, 450 * MIB));
        arc.lone.run(plans::begin);
        arc.lone.runFor(4 * SECOND);
        assertThat(arc.state.plans()).isEmpty();
        arc.lone.runFor(2 * SECOND);
        assertThat(arc.state.plans()).singleElement().satisfies(plan -> {
            assertThat(plan.kind()).isEqualTo(PlanKind.SPREAD);
            assertThat(plan.nid()).isEqualTo(B);
        });
        assertThat(migrated).containsExactly(1L);
        arc.lone.runFor(3 * SECOND);
        assertThat(arc.state.plans()).hasSize(1);
    }

    /** ADR 0370. The newcomer may be the only storage peer that has room for the zone. */
    @Test
    void begin_zoneNeedsRoom_newStoragePeerGetsItsShareWhenTheZoneHasAnOwner() {
        holds(A, 900 * MIB);
        pieces = List.of(new Piece(Cid.of(A, 1), Cid.of(A, 9), 9, 450 * MIB));
        recoveries = List.of(recovery(List.of()));
        arc.lone.run(plans::begin);
        arc.lone.runFor(7 * SECOND);
        assertThat(arc.state.plans()).isEmpty();

        recoveries = List.of();
        // One look asks the super-peers, the next one knows.
        arc.lone.runFor(3 * SECOND);

        assertThat(arc.state.plans()).singleElement().satisfies(plan -> assertThat(plan.kind())
                .isEqualTo(PlanKind.SPREAD));
    }

    @Test
    void begin_zoneWaitsForAMemberThatIsGone_newStoragePeerGetsItsShare() {
        holds(A, 900 * MIB);
        pieces = List.of(new Piece(Cid.of(A, 1), Cid.of(A, 9), 9, 450 * MIB));
        recoveries = List.of(recovery(List.of(B)));
        arc.lone.run(plans::begin);
        arc.lone.runFor(8 * SECOND);
        assertThat(arc.state.plans()).hasSize(1);
    }

    private static ZoneStatus.Recovery recovery(List<Integer> waitingFor) {
        return new ZoneStatus.Recovery(77, 2, 0, waitingFor, 0, 0, 9000, "no storage peer has room for it");
    }

    @Test
    void begin_shareOfANewPeerIsSmall_nothingIsMoved() {
        holds(A, 100 * MIB);
        arc.lone.run(plans::begin);
        arc.lone.runFor(8 * SECOND);
        assertThat(arc.state.plans()).isEmpty();
    }
}
