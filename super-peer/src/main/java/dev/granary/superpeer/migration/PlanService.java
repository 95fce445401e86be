package dev.granary.superpeer.migration;

import dev.granary.env.Futures;
import dev.granary.env.Loop;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.migration.PlanMaker.ImpossiblePlanException;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.PlanMetrics;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.Plan;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.RangeResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rebalance plans of one arc (ADR 0095): makes them, carries them out, ends them. A plan is committed before its
 * first move, so the next leader of the arc goes on with it. Runs as tasks of the node's scheduler.
 */
public final class PlanService {

    private static final Logger LOG = LoggerFactory.getLogger(PlanService.class);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A new peer takes its share 5 seconds after it has joined, unless the share is small. */
    private static final long SPREAD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long MIN_SPREAD_BYTES = 64L << 20;
    private static final double MIN_SPREAD_SHARE = 0.05;

    private final Node node;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcService arc;
    private final ArcCaller arcs;
    private final PlanMaker maker;
    private final WaitingZones waitingZones;
    private final Map<Long, PlanRun> runs = new TreeMap<>();

    /** Plans that are being made, and the requests that wait for each: a command asks again when an answer is late. */
    private final Map<StartPlan, List<RpcRequest>> making = new HashMap<>();

    /** The running plans of moves that this leader has begun, by what was asked for. */
    private final Map<StartPlan, Long> moves = new HashMap<>();

    /** By NID, the incarnation epoch of each storage peer and since when this leader has known it. */
    private final Map<Integer, Newcomer> newcomers = new HashMap<>();

    private final Loop loop;

    private record Newcomer(long epoch, long sinceNanos, boolean served) {}

    public PlanService(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcService arc,
            ArcCaller arcs,
            PlanMaker maker) {
        this.node = node;
        this.state = state;
        this.commit = commit;
        this.arc = arc;
        this.arcs = arcs;
        this.maker = maker;
        this.waitingZones = new WaitingZones(node, maker);
        this.loop = Loop.every(node.environment().scheduler(), "plans", TICK_NANOS, this::tick)
                .vital();
    }

    public void begin() {
        loop.beginAfter(TICK_NANOS);
    }

    private void tick() {
        if (arc.isServing()) {
            look();
        }
    }

    public void stop() {
        loop.stop();
        runs.values().forEach(PlanRun::stop);
    }

    private void look() {
        List<Plan> plans = state.plans();
        for (Plan plan : plans) {
            if (plan.state() == Plan.State.RUNNING) {
                runs.computeIfAbsent(
                                plan.number(),
                                number -> new PlanRun(node, state, commit, arcs, maker, waitingZones::none, plan))
                        .look();
            }
        }
        runs.entrySet().removeIf(run -> {
            Plan plan = state.plan(run.getKey());
            boolean over = plan == null || plan.state() != Plan.State.RUNNING;
            if (over) {
                run.getValue().stop();
            }
            return over;
        });
        moves.values().removeIf(number -> !isRunning(state.plan(number)));
        plans.stream()
                .filter(plan -> plan.kind() == PlanKind.DRAIN)
                .map(Plan::nid)
                .distinct()
                .forEach(this::tellWhetherDraining);
        arc.peerInfos().forEach(this::spreadToNewcomer);
    }

    private void tellWhetherDraining(int nid) {
        PeerInfo peer = arc.peerInfo(nid);
        if (peer != null && peer.live()) {
            DrainPeer message = new DrainPeer(peer.epoch(), state.isDraining(nid));
            arcs.callNode(peer.address(), nid, MessageType.DRAIN_PEER, message, (reply, failure) -> {});
        }
    }

    /** Begins a plan that gives a new storage peer its share of the chunks of the others. */
    private void spreadToNewcomer(PeerInfo peer) {
        Newcomer known = newcomers.get(peer.nid());
        if (known == null || known.epoch != peer.epoch()) {
            newcomers.put(peer.nid(), new Newcomer(peer.epoch(), node.nanoTime(), false));
            return;
        }
        boolean due = node.nanoTime() - known.sinceNanos >= SPREAD_AFTER_NANOS;
        if (known.served || !due || !peer.live() || state.isDraining(peer.nid())) {
            return;
        }
        if (!waitingZones.none()) {
            // The newcomer may be the only one with room for them.
            return;
        }
        newcomers.put(peer.nid(), new Newcomer(known.epoch, known.sinceNanos, true));
        long minBytes = Math.max(MIN_SPREAD_BYTES, (long) (peer.statistics().capacityBytes() * MIN_SPREAD_SHARE));
        Async.whenDone(maker.share(peer.nid(), minBytes), (moves, failure) -> {
            if (moves != null && !moves.isEmpty() && loop.isRunning()) {
                var _ = start(new RangeCommand.StartPlan(peer.nid(), PlanKind.SPREAD, peer.nid(), moves));
            }
        });
    }

    private CompletableFuture<ArcResult> start(RangeCommand.StartPlan command) {
        CompletableFuture<ArcResult> started = commit.apply(command);
        Async.whenDone(started, (result, failure) -> {
            if (result instanceof RangeResult.Planned(Plan plan)) {
                LOG.atInfo()
                        .addKeyValue("plan", Nid.toHex(plan.homeNid()) + "/" + plan.number())
                        .addKeyValue("planKind", plan.kind())
                        .addKeyValue("nid", Nid.toHex(plan.nid()))
                        .addKeyValue("moves", plan.moves().size())
                        .log("a plan begins");
            }
        });
        return started;
    }

    /** Returns what metrics show of the plans and migrations of some arcs. */
    public static PlanMetrics.View view(List<ArcState> arcs) {
        Map<PlanKind, Integer> running = new EnumMap<>(PlanKind.class);
        long moves = 0;
        long bytes = 0;
        int migrations = 0;
        for (ArcState arc : arcs) {
            migrations += arc.runningMigrations().size();
            for (Plan plan : arc.plans()) {
                if (plan.state() != Plan.State.RUNNING) {
                    continue;
                }
                running.merge(plan.kind(), 1, Integer::sum);
                for (Move move : plan.moves()) {
                    if (move.state() == Move.State.PENDING) {
                        moves++;
                        bytes += move.bytes();
                    }
                }
            }
        }
        return new PlanMetrics.View(running, moves, bytes, migrations);
    }

    /** Returns the NID whose arc keeps a plan. */
    public static int homeOf(StartPlan asked) {
        return asked.kind() == PlanKind.MOVE ? Cid.nid(asked.startCid()) : asked.nid();
    }

    public void startPlan(RpcRequest request, StartPlan asked) {
        boolean oneCreator = Cid.nid(asked.startCid()) == Cid.nid(asked.endCidInclusive())
                && Cid.lid(asked.startCid()) >= Cid.MIN_LID
                && Cid.compare(asked.startCid(), asked.endCidInclusive()) <= 0;
        if (asked.kind() == PlanKind.MOVE && !oneCreator) {
            request.fail(ErrorCode.BAD_REQUEST, "the chunks to move are of one creator, the first not behind the last");
            return;
        }
        if (asked.kind() == PlanKind.SPREAD && state.isDraining(asked.nid())) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "storage peer " + Nid.toHex(asked.nid())
                            + " is drained; abort the plan of its drain first ('granary plan show' lists it)");
            return;
        }
        Plan begun = running(asked);
        if (begun != null) {
            answer(request, begun);
            return;
        }
        List<RpcRequest> others = making.get(asked);
        if (others != null) {
            others.add(request);
            return;
        }
        making.put(asked, new ArrayList<>(List.of(request)));
        Async.whenDone(maker.make(asked), (found, failure) -> {
            if (found == null) {
                String why = messageOf(failure);
                made(asked).forEach(each -> each.fail(ErrorCode.BAD_REQUEST, why));
            } else {
                commitPlan(asked, found);
            }
        });
    }

    /** Returns the requests that waited for a plan. */
    private List<RpcRequest> made(StartPlan asked) {
        List<RpcRequest> waiting = making.remove(asked);
        return waiting == null ? List.of() : waiting;
    }

    /** Returns the plan that a request has begun which was sent before, or null. */
    private @Nullable Plan running(StartPlan asked) {
        if (asked.kind() == PlanKind.MOVE) {
            Long number = moves.get(asked);
            Plan plan = number == null ? null : state.plan(number);
            return isRunning(plan) ? plan : null;
        }
        for (Plan plan : state.plans()) {
            if (isRunning(plan) && plan.kind() == asked.kind() && plan.nid() == asked.nid()) {
                return plan;
            }
        }
        return null;
    }

    private static boolean isRunning(@Nullable Plan plan) {
        return plan != null && plan.state() == Plan.State.RUNNING;
    }

    private void commitPlan(StartPlan asked, List<Move> found) {
        CompletableFuture<ArcResult> started =
                start(new RangeCommand.StartPlan(homeOf(asked), asked.kind(), asked.nid(), found));
        Async.whenDone(started, (result, failure) -> {
            if (asked.kind() == PlanKind.MOVE && result instanceof RangeResult.Planned(Plan plan)) {
                moves.put(asked, plan.number());
            }
            made(asked).forEach(each -> Answers.whenCommitted(each, started, done -> answer(each, asked, done)));
        });
    }

    private void answer(RpcRequest request, StartPlan asked, ArcResult result) {
        switch (result) {
            case RangeResult.Planned(Plan plan) -> answer(request, plan);
            case RangeResult.NotNow(String message) -> {
                // The same request may have been sent before, and its plan may have been made at the same time.
                Plan begun = running(asked);
                if (begun == null) {
                    request.fail(ErrorCode.BAD_REQUEST, message);
                } else {
                    answer(request, begun);
                }
            }
            default -> throw new IllegalStateException("unexpected " + result);
        }
    }

    private static void answer(RpcRequest request, Plan plan) {
        request.reply(new PlanReply(
                plan.homeNid(),
                plan.number(),
                plan.moves().size(),
                plan.moves().stream().mapToLong(Move::bytes).sum()));
    }

    private static String messageOf(@Nullable Throwable failure) {
        Throwable cause = Futures.causeIfAny(failure);
        return cause instanceof ImpossiblePlanException ? String.valueOf(cause.getMessage()) : String.valueOf(cause);
    }

    public void abortPlan(RpcRequest request, AbortPlan asked) {
        Plan plan = state.plan(asked.number());
        if (plan == null || plan.homeNid() != asked.homeNid()) {
            request.fail(
                    ErrorCode.NOT_FOUND,
                    "there is no plan " + Nid.toHex(asked.homeNid()) + "/" + asked.number()
                            + "; 'granary plan show' lists those that there are");
            return;
        }
        RangeCommand command =
                new RangeCommand.EndPlan(asked.homeNid(), asked.number(), Plan.State.ABORTED, "it was aborted");
        Answers.whenCommitted(request, commit.apply(command), result -> {
            switch (result) {
                case RangeResult.Planned(Plan ended) -> {
                    node.metrics().plans().ended(ended.kind(), PlanMetrics.Outcome.ABORTED);
                    PlanRun run = runs.remove(asked.number());
                    if (run != null) {
                        run.abort();
                    }
                    request.reply(new Empty());
                }
                case RangeResult.NotNow(String message) -> request.fail(ErrorCode.BAD_REQUEST, message);
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }
}
