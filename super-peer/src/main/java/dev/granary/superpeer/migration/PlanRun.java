package dev.granary.superpeer.migration;

import dev.granary.env.Futures;
import dev.granary.env.Steps;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AbortMigration;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.PlanMetrics;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.Plan;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.RangeResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out one rebalance plan while this super-peer leads its arc: {@value #PARALLEL} moves at a time, each a
 * migration that the arc of the chunks' creator runs. A move that fails, or of which a step throws, is tried again a
 * few times (ADR 0191). Runs as tasks of the node's scheduler.
 */
final class PlanRun {

    private static final Logger LOG = LoggerFactory.getLogger(PlanRun.class);

    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int PARALLEL = 3;
    private static final int MAX_TRIES = 30;

    /** How many tries an aborted migration counts as. */
    private static final int TRIES_OF_ABORTED = 10;

    /** How often a drain looks for chunks that are left on its peer before it fails. */
    private static final int MAX_ROUNDS = 50;

    private final Steps steps;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcCaller arcs;
    private final PlanMaker maker;
    private final BooleanSupplier isRoomFree;
    private final PlanMetrics metrics;
    private final int home;
    private final long number;

    /** By index, the migrations of moves that are under way. */
    private final Map<Integer, MigrationReply> running = new TreeMap<>();

    private final Map<Integer, Integer> tries = new TreeMap<>();
    private final Set<Integer> asked = new TreeSet<>();
    private int rounds;
    private boolean ending;
    private boolean stopped;
    private boolean waiting;

    /** @param isRoomFree whether no zone without an owner needs the room that a plan would fill */
    PlanRun(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcCaller arcs,
            PlanMaker maker,
            BooleanSupplier isRoomFree,
            Plan plan) {
        this.steps = new Steps(node.environment().scheduler(), "plan-moves", ASK_NANOS);
        this.state = state;
        this.commit = commit;
        this.arcs = arcs;
        this.maker = maker;
        this.isRoomFree = isRoomFree;
        this.metrics = node.metrics().plans();
        this.home = plan.homeNid();
        this.number = plan.number();
    }

    /** Begins the moves that can begin now, and finishes the plan when all have ended. */
    void look() {
        Plan plan = state.plan(number);
        if (stopped || ending || plan == null) {
            return;
        }
        boolean pending = false;
        boolean waits = isToWait(plan);
        List<Move> moves = plan.moves();
        for (int i = 0; i < moves.size(); i++) {
            if (moves.get(i).state() != Move.State.PENDING) {
                continue;
            }
            pending = true;
            if (!waits && asked.size() < PARALLEL && asked.add(i)) {
                int index = i;
                Move move = moves.get(i);
                steps.run(() -> begin(index, move), () -> again(index, 1));
            }
        }
        if (!pending && asked.isEmpty()) {
            ending = true;
            steps.run(() -> finish(plan), () -> ending = false);
        }
    }

    /** A plan that only evens storage peers out begins no move while zones without an owner need room. */
    private boolean isToWait(Plan plan) {
        boolean waits = plan.kind() == PlanKind.SPREAD && !isRoomFree.getAsBoolean();
        if (waits && !waiting) {
            LOG.atInfo()
                    .addKeyValue("plan", Nid.toHex(home) + "/" + number)
                    .log("a plan waits until no zone without an owner needs room");
        }
        waiting = waits;
        return waits;
    }

    void stop() {
        stopped = true;
    }

    /** Stops this run and aborts the migrations that are under way. */
    void abort() {
        stopped = true;
        SuperPeerProbe.PLAN_ABORTED_WHILE_MOVING.hitIf(!running.isEmpty());
        running.values()
                .forEach(migration -> arcs.call(
                        migration.creatorNid(),
                        MessageType.ABORT_MIGRATION,
                        new AbortMigration(migration.creatorNid(), migration.number(), "its plan was aborted"),
                        (reply, failure) -> {}));
    }

    private void begin(int index, Move move) {
        int creator = Cid.nid(move.startCid());
        // A slot group may have got more LIDs since the plan was made; it moves as a whole.
        long end = SlotGroup.isGroup(creator) ? Cid.lastOf(creator) : move.endCidInclusive();
        Migrate request = new Migrate(move.startCid(), end, move.targetNid());
        arcs.call(creator, MessageType.MIGRATE, request, (reply, failure) -> {
            if (reply == null) {
                steps.run(() -> again(index, 1), () -> again(index, 1));
            } else {
                steps.run(() -> heard(index, reply), () -> ask(index, reply));
            }
        });
    }

    private void heard(int index, MigrationReply reply) {
        if (stopped) {
            return;
        }
        switch (reply.state()) {
            case RUNNING -> {
                running.put(index, reply);
                steps.after(ASK_NANOS, () -> ask(index, reply));
            }
            case COMMITTED -> end(index, Move.State.DONE);
            case ABORTED -> again(index, TRIES_OF_ABORTED);
        }
    }

    private void ask(int index, MigrationReply begun) {
        if (stopped) {
            return;
        }
        AskMigration request = new AskMigration(begun.creatorNid(), begun.number());
        arcs.call(begun.creatorNid(), MessageType.ASK_MIGRATION, request, (reply, failure) -> {
            MigrationReply known = reply == null ? begun : reply;
            steps.run(() -> heard(index, known), () -> ask(index, known));
        });
    }

    /** Lets the next look try a move again, or ends the move as failed after {@value #MAX_TRIES} tries. */
    private void again(int index, int counted) {
        if (stopped) {
            return;
        }
        SuperPeerProbe.PLAN_MOVE_TRIED_AGAIN.hit();
        running.remove(index);
        if (tries.merge(index, counted, Integer::sum) >= MAX_TRIES) {
            end(index, Move.State.FAILED);
        } else {
            asked.remove(index);
        }
    }

    private void end(int index, Move.State how) {
        running.remove(index);
        RangeCommand command = new RangeCommand.EndMove(home, number, index, how);
        Runnable goOn = () -> {
            asked.remove(index);
            if (!stopped) {
                look();
            }
        };
        Async.whenDone(commit.apply(command), (result, failure) -> steps.run(goOn, goOn));
    }

    private void finish(Plan plan) {
        if (plan.kind() != PlanKind.DRAIN) {
            long failed = plan.moves().stream()
                    .filter(move -> move.state() == Move.State.FAILED)
                    .count();
            end(
                    failed == 0 ? Plan.State.DONE : Plan.State.FAILED,
                    failed == 0 ? "" : failed + " of " + plan.moves().size() + " moves have failed");
            return;
        }
        Set<Integer> failedTargets = new TreeSet<>();
        plan.moves().stream()
                .filter(move -> move.state() == Move.State.FAILED)
                .forEach(move -> failedTargets.add(move.targetNid()));
        Async.whenDone(
                restOnceItTakesNothing(plan.nid(), failedTargets),
                (moves, failure) -> steps.run(() -> restIsKnown(plan, moves, failure), () -> ending = false));
    }

    private void restIsKnown(Plan plan, @Nullable List<Move> moves, @Nullable Throwable failure) {
        if (stopped) {
            return;
        }
        if (moves == null && isNotYet(failure)) {
            ending = false;
        } else if (moves == null) {
            goOn(failure == null ? "the remaining chunks are not known" : String.valueOf(failure.getMessage()));
        } else if (moves.isEmpty()) {
            endWithoutCopies(plan.nid());
        } else {
            Async.whenDone(
                    commit.apply(new RangeCommand.AddMoves(home, number, moves)),
                    (result, problem) ->
                            steps.run(() -> goOn("chunks are left on " + Nid.toHex(plan.nid())), () -> ending = false));
        }
    }

    /**
     * Whether the peer is still taking chunks of migrations that began before it was drained. These end in any case.
     */
    private static boolean isNotYet(@Nullable Throwable failure) {
        return Futures.causeIfAny(failure) instanceof RemoteErrorException remote
                && remote.code() == ErrorCode.RETRY_LATER;
    }

    /**
     * Returns the moves for what is left on a peer. Looks only after the peer has confirmed that it takes no new
     * chunks, as more may come before.
     */
    private CompletableFuture<List<Move>> restOnceItTakesNothing(int nid, Set<Integer> failedTargets) {
        PeerRecord peer = state.peer(nid);
        if (peer == null) {
            return maker.rest(nid, failedTargets);
        }
        CompletableFuture<Empty> told = new CompletableFuture<>();
        arcs.callNode(
                peer.address(), nid, MessageType.DRAIN_PEER, new DrainPeer(peer.epoch(), true), (reply, failure) -> {
                    if (reply != null) {
                        told.complete(reply);
                    } else {
                        told.completeExceptionally(failure == null ? new IllegalStateException("no answer") : failure);
                    }
                });
        return told.thenCompose(heard -> maker.rest(nid, failedTargets));
    }

    /**
     * Ends a drain when the peer holds no copy of other owners' zones either. Until then other peers are filled with
     * new copies.
     */
    private void endWithoutCopies(int nid) {
        Async.whenDone(
                maker.copiesOn(nid),
                (copies, failure) -> steps.run(() -> copiesAreKnown(copies), () -> ending = false));
    }

    private void copiesAreKnown(@Nullable Long copies) {
        if (stopped) {
            return;
        }
        if (copies == null) {
            goOn("it is not known which copies are left");
        } else if (copies > 0) {
            SuperPeerProbe.PLAN_WAITS_FOR_COPIES.hit();
            ending = false;
        } else {
            end(Plan.State.DONE, "");
        }
    }

    private void goOn(String problem) {
        if (++rounds > MAX_ROUNDS) {
            end(Plan.State.FAILED, problem);
        } else {
            ending = false;
        }
    }

    private void end(Plan.State how, String note) {
        Async.whenDone(commit.apply(new RangeCommand.EndPlan(home, number, how, note)), (result, failure) -> {
            ending = failure == null;
            if (result instanceof RangeResult.Planned(Plan ended)) {
                metrics.ended(
                        ended.kind(), how == Plan.State.DONE ? PlanMetrics.Outcome.DONE : PlanMetrics.Outcome.FAILED);
            }
            LOG.atInfo()
                    .addKeyValue("plan", Nid.toHex(home) + "/" + number)
                    .addKeyValue("state", how)
                    .log("a plan has ended{}", note.isEmpty() ? "" : ": " + note);
        });
    }
}
