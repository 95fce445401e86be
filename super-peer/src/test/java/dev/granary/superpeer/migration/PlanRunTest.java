package dev.granary.superpeer.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.Plan;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.RangeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlanRunTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int OTHER = 0x8001;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final LoneNode lone = new LoneNode();
    private final ArcState state = new ArcState();
    private final List<PeerInfo> peers = new ArrayList<>();
    private final List<DrainPeer> drained = new ArrayList<>();

    /** The LIDs with which the migrations begin that were asked for; a migration has its LID as number. */
    private final List<Long> begun = new ArrayList<>();

    private final List<Long> aborted = new ArrayList<>();

    /** By number, the migrations that run no more. */
    private final Map<Long, MigrationState> ended = new TreeMap<>();

    /** The end of what was asked for last. */
    private long lastCid;

    private List<SurveyReply.Piece> left = List.of();
    private int copiesLeft;

    private final Answers superPeer = new Answers()
            .to(MessageType.LIST_PEERS, ask -> new PeerList(1, peers, List.of(OTHER), List.of()))
            .to(
                    MessageType.ZONE_STATUS,
                    ask -> new ZoneStatus(
                            0, 0, 0, 0, 0, List.of(), List.of(new ZoneStatus.Holding(A, 0, 0, copiesLeft)), List.of()))
            .to(MessageType.MIGRATE, this::migrate)
            .to(MessageType.ASK_MIGRATION, ask -> replyOf(ask.number()))
            .to(MessageType.ABORT_MIGRATION, abort -> {
                aborted.add(abort.number());
                return replyOf(abort.number());
            });
    private final Answers storagePeer = new Answers()
            .to(MessageType.DRAIN_PEER, drain -> {
                drained.add(drain);
                return new Empty();
            })
            .to(MessageType.SURVEY, ask -> new SurveyReply(Cid.NONE, left));
    private final HostAddress other = lone.serve("s1", OTHER, superPeer);
    private final Ring ring =
            new Ring(LoneNode.CLUSTER, 1, 2, true, List.of(new RingMember(OTHER, "s1", other, other)));
    private boolean roomIsFree = true;
    private final ArcCaller arcs = new ArcCaller(lone.node(), () -> ring);
    private final PlanMaker maker = new PlanMaker(state, arcs, () -> ring);

    private MigrationReply migrate(Migrate asked) {
        assertThat(asked.targetNid()).isEqualTo(B);
        lastCid = asked.endCidInclusive();
        begun.add(Cid.lid(asked.startCid()));
        return replyOf(Cid.lid(asked.startCid()));
    }

    private MigrationReply replyOf(long number) {
        return new MigrationReply(A, number, ended.getOrDefault(number, MigrationState.RUNNING), 0, "");
    }

    private CompletableFuture<ArcResult> commit(ArcCommand command) {
        CompletableFuture<ArcResult> done = new CompletableFuture<>();
        lone.node().environment().scheduler().execute(() -> done.complete(state.apply(command)));
        return done;
    }

    /** A plan whose moves begin at LIDs 1, 2 and so on. */
    private PlanRun run(PlanKind kind, int nid, int moves) {
        List<Move> list = new ArrayList<>();
        for (int lid = 1; lid <= moves; lid++) {
            list.add(new Move(Cid.of(A, lid), Cid.of(A, lid), B, 1, 8, Move.State.PENDING));
        }
        ArcResult result = state.apply(new RangeCommand.StartPlan(A, kind, nid, list));
        Plan plan = ((RangeResult.Planned) result).plan();
        return new PlanRun(lone.node(), state, this::commit, arcs, maker, () -> roomIsFree, plan);
    }

    /** ADR 0370. */
    @Test
    void look_zonesWithoutAnOwnerNeedRoom_aSpreadBeginsNoMoveUntilTheyHaveIt() {
        roomIsFree = false;
        PlanRun spread = run(PlanKind.SPREAD, B, 2);
        look(spread, 5);
        assertThat(begun).isEmpty();

        roomIsFree = true;
        look(spread, 5);

        assertThat(begun).containsExactly(1L, 2L);
    }

    /** ADR 0370. Its storage peer is to go. */
    @Test
    void look_zonesWithoutAnOwnerNeedRoom_aDrainGoesOn() {
        roomIsFree = false;
        look(run(PlanKind.DRAIN, A, 2), 5);
        assertThat(begun).containsExactly(1L, 2L);
    }

    /** The group may have got more LIDs since the plan was made. */
    @Test
    void look_moveOfASlotGroup_asksForAllThatTheGroupMayHave() {
        int group = SlotGroup.nid(9);
        Move move = new Move(Cid.firstOf(group), Cid.of(group, 65_536), B, 1, 8, Move.State.PENDING);
        ArcResult result = state.apply(new RangeCommand.StartPlan(A, PlanKind.DRAIN, A, List.of(move)));
        Plan plan = ((RangeResult.Planned) result).plan();
        look(new PlanRun(lone.node(), state, this::commit, arcs, maker, () -> roomIsFree, plan), 1);
        assertThat(lastCid).isEqualTo(Cid.lastOf(group));
    }

    /** A drain of A without moves; B could take what A has. */
    private PlanRun drain() {
        HostAddress address = lone.serve("p", A, storagePeer);
        state.apply(new PeerCommand.OpenPeer(
                A, new UUID(1, 1), 7, "p", address, address, 1, 1000, "", "", List.of(), 0, null));
        PeerStatistics statistics = new PeerStatistics(0, 0, 0, 0, 1 << 20, 0, 0);
        for (int nid : new int[] {A, B}) {
            peers.add(new PeerInfo(
                    nid,
                    "p",
                    address,
                    address,
                    true,
                    0,
                    1,
                    1,
                    0,
                    PeerInfo.Drain.NONE,
                    0,
                    statistics,
                    0,
                    "",
                    "",
                    false,
                    null));
        }
        return run(PlanKind.DRAIN, A, 0);
    }

    /** Looks as often as that, and lets the answers come each time. */
    private void look(PlanRun run, int times) {
        for (int i = 0; i < times; i++) {
            lone.run(run::look);
            lone.runFor(PAUSE_NANOS);
        }
    }

    private Plan plan() {
        return Objects.requireNonNull(state.plan(1));
    }

    private List<Move.State> moves() {
        return plan().moves().stream().map(Move::state).toList();
    }

    @AfterEach
    void nothingFailed() {
        assertThat(lone.failures).isEmpty();
    }

    @Test
    void look_manyMoves_threeRunAtATimeUntilThePlanIsDone() {
        PlanRun run = run(PlanKind.MOVE, B, 5);
        look(run, 2);
        assertThat(begun).containsExactly(1L, 2L, 3L);

        ended.put(2L, MigrationState.COMMITTED);
        lone.runFor(PAUSE_NANOS);

        assertThat(begun).containsExactly(1L, 2L, 3L, 4L);
        assertThat(moves())
                .containsExactly(
                        Move.State.PENDING,
                        Move.State.DONE,
                        Move.State.PENDING,
                        Move.State.PENDING,
                        Move.State.PENDING);
        for (long number = 1; number <= 5; number++) {
            ended.put(number, MigrationState.COMMITTED);
        }
        lone.runFor(3 * PAUSE_NANOS);
        assertThat(begun).as("each once").hasSize(5);
        assertThat(moves()).containsOnly(Move.State.DONE);
        assertThat(plan().state()).isEqualTo(Plan.State.DONE);
        assertThat(plan().note()).isEmpty();
    }

    @Test
    void look_migrationIsAborted_moveFailsWithTheThird() {
        PlanRun run = run(PlanKind.MOVE, B, 2);
        ended.put(1L, MigrationState.ABORTED);
        ended.put(2L, MigrationState.COMMITTED);
        look(run, 4);
        assertThat(begun).containsExactlyInAnyOrder(1L, 1L, 1L, 2L);
        assertThat(moves()).containsExactly(Move.State.FAILED, Move.State.DONE);
        assertThat(plan().state()).isEqualTo(Plan.State.FAILED);
        assertThat(plan().note()).isEqualTo("1 of 2 moves have failed");
    }

    @Test
    void look_migrationCannotBegin_isTriedThirtyTimes() {
        superPeer.refuse(MessageType.MIGRATE, ErrorCode.BAD_REQUEST, "not now");
        PlanRun run = run(PlanKind.MOVE, B, 1);
        look(run, 29);
        assertThat(moves()).containsExactly(Move.State.PENDING);
        look(run, 1);
        assertThat(superPeer.count(MessageType.MIGRATE)).isEqualTo(30);
        assertThat(plan().state()).isEqualTo(Plan.State.FAILED);
    }

    @Test
    void look_nobodySaysHowFarAMigrationIs_goesOnAsking() {
        PlanRun run = run(PlanKind.MOVE, B, 1);
        superPeer.refuse(MessageType.ASK_MIGRATION, ErrorCode.SHUTTING_DOWN, "it is stopping");
        look(run, 10);
        assertThat(superPeer.count(MessageType.ASK_MIGRATION)).isGreaterThan(10);
        superPeer.to(MessageType.ASK_MIGRATION, ask -> replyOf(ask.number()));
        ended.put(1L, MigrationState.COMMITTED);
        lone.runFor(PAUSE_NANOS);
        assertThat(begun).hasSize(1);
        assertThat(plan().state()).isEqualTo(Plan.State.DONE);
    }

    @Test
    void abort_whileMoving_abortsTheMigrationsAndBeginsNone() {
        PlanRun run = run(PlanKind.MOVE, B, 5);
        look(run, 1);
        ended.put(3L, MigrationState.COMMITTED);
        lone.runFor(PAUSE_NANOS);

        lone.run(run::abort);
        ended.put(1L, MigrationState.ABORTED);
        look(run, 2);

        assertThat(aborted).containsExactlyInAnyOrder(1L, 2L, 4L);
        assertThat(begun).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void stop_migrationsRun_areLeftToTheNextLeader() {
        PlanRun run = run(PlanKind.MOVE, B, 2);
        look(run, 1);
        lone.run(run::stop);
        ended.put(1L, MigrationState.COMMITTED);
        look(run, 3);
        assertThat(aborted).isEmpty();
        assertThat(moves()).containsOnly(Move.State.PENDING);
    }

    @Test
    void look_drainedPeerHoldsCopies_planEndsWhenItHoldsNone() {
        PlanRun run = drain();
        copiesLeft = 3;
        look(run, 5);
        assertThat(drained).hasSize(5).containsOnly(new DrainPeer(1, true));
        assertThat(plan().state()).isEqualTo(Plan.State.RUNNING);
        copiesLeft = 0;
        look(run, 1);
        assertThat(plan().state()).isEqualTo(Plan.State.DONE);
    }

    @Test
    void look_chunksAreLeftOnADrainedPeer_moreMovesAreMade() {
        PlanRun run = drain();
        left = List.of(new SurveyReply.Piece(Cid.of(A, 9), Cid.of(A, 9), 1, 8));
        look(run, 2);
        assertThat(begun).containsExactly(9L);
        assertThat(plan().moves()).hasSize(1);
        left = List.of();
        ended.put(9L, MigrationState.COMMITTED);
        look(run, 1);
        assertThat(plan().state()).isEqualTo(Plan.State.DONE);
        assertThat(moves()).containsExactly(Move.State.DONE);
    }

    @Test
    void look_drainedPeerStillTakesChunks_isAskedAgainForAsLongAsItTakes() {
        PlanRun run = drain();
        storagePeer.refuse(MessageType.DRAIN_PEER, ErrorCode.RETRY_LATER, "a migration has not ended");
        look(run, 60);
        assertThat(plan().state()).isEqualTo(Plan.State.RUNNING);
        assertThat(storagePeer.count(MessageType.SURVEY))
                .as("before that more may come")
                .isZero();

        storagePeer.refuse(MessageType.DRAIN_PEER, ErrorCode.SHUTTING_DOWN, "it is stopping");
        look(run, 50);
        assertThat(plan().state()).isEqualTo(Plan.State.RUNNING);
        look(run, 1);
        assertThat(plan().state()).isEqualTo(Plan.State.FAILED);
        assertThat(plan().note()).contains("it is stopping");
    }
}
