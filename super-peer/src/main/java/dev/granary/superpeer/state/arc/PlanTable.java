package dev.granary.superpeer.state.arc;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Arc;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.Plan;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rebalance plans of an arc: those that run, and the last that have ended. Deterministic.
 *
 * <p>Invariants: (1) a number is given once; (2) at most one plan of a storage peer that is drained or filled runs; (3)
 * a plan that has ended gets no more moves; a drain that is done can still be aborted, after which the peer takes
 * chunks again.
 */
final class PlanTable {

    /** How many ended plans are kept. */
    static final int MAX_ENDED = 32;

    private final TreeMap<Long, Plan> plans = new TreeMap<>();
    private long lastNumber;

    /** Begins a rebuilt arc without a plan. Every later number is greater than this one. */
    void rebuilt(long number) {
        lastNumber = number;
    }

    Collection<Plan> all() {
        return plans.values();
    }

    @Nullable
    Plan find(long number) {
        return plans.get(number);
    }

    /** Whether a storage peer is being drained or was drained. */
    boolean isDraining(int nid) {
        return plans.values().stream()
                .anyMatch(plan -> plan.kind() == PlanKind.DRAIN
                        && plan.nid() == nid
                        && (plan.state() == Plan.State.RUNNING || plan.state() == Plan.State.DONE));
    }

    /** Returns how far the drain of a storage peer is. */
    PeerInfo.Drain drainOf(int nid) {
        PeerInfo.Drain furthest = PeerInfo.Drain.NONE;
        // A plain loop: this is asked for each storage peer again and again, and nearly always there is no plan.
        for (Plan plan : plans.values()) {
            if (plan.kind() != PlanKind.DRAIN || plan.nid() != nid) {
                continue;
            }
            if (plan.state() == Plan.State.RUNNING) {
                return PeerInfo.Drain.RUNNING;
            }
            if (plan.state() == Plan.State.DONE) {
                furthest = PeerInfo.Drain.DONE;
            }
        }
        return furthest;
    }

    /**
     * Called when a drained storage peer has come back with a new incarnation: it may have got chunks before it hears
     * that it is drained.
     */
    void cameBack(int nid) {
        plans.replaceAll(
                (number, plan) -> plan.kind() == PlanKind.DRAIN && plan.nid() == nid && plan.state() == Plan.State.DONE
                        ? plan.in(Plan.State.RUNNING, "the storage peer was restarted")
                        : plan);
    }

    ArcResult apply(RangeCommand.StartPlan command) {
        boolean busy = command.kind() != PlanKind.MOVE
                && plans.values().stream()
                        .anyMatch(plan -> plan.state() == Plan.State.RUNNING
                                && plan.kind() != PlanKind.MOVE
                                && plan.nid() == command.nid());
        if (busy) {
            return new RangeResult.NotNow("a plan for this storage peer is being carried out already; 'granary plan"
                    + " show' shows it, 'granary plan abort' ends it");
        }
        Plan plan = new Plan(
                command.homeNid(),
                ++lastNumber,
                command.kind(),
                command.nid(),
                Plan.State.RUNNING,
                "",
                command.moves());
        return put(plan);
    }

    ArcResult apply(RangeCommand.AddMoves command) {
        Plan plan = plans.get(command.number());
        return plan == null || plan.state() != Plan.State.RUNNING
                ? new RangeResult.NotNow("the plan does not run")
                : put(plan.withMore(command.moves()));
    }

    ArcResult apply(RangeCommand.EndMove command) {
        Plan plan = plans.get(command.number());
        return plan == null
                        || command.index() < 0
                        || command.index() >= plan.moves().size()
                ? new RangeResult.NotNow("there is no such move")
                : put(plan.withMove(command.index(), command.state()));
    }

    ArcResult apply(RangeCommand.EndPlan command) {
        Plan plan = plans.get(command.number());
        if (plan == null) {
            return new RangeResult.NotNow("there is no such plan");
        }
        boolean undrain = plan.kind() == PlanKind.DRAIN
                && plan.state() == Plan.State.DONE
                && command.state() == Plan.State.ABORTED;
        return plan.state() == Plan.State.RUNNING || undrain
                ? put(plan.in(command.state(), command.note()))
                : new RangeResult.NotNow("the plan has ended");
    }

    private RangeResult put(Plan plan) {
        plans.put(plan.number(), plan);
        assert plan.number() <= lastNumber && runsAlone(plan) : plan;
        List<Long> over = plans.values().stream()
                .filter(each -> each.state() != Plan.State.RUNNING && !isDraining(each.nid()))
                .map(Plan::number)
                .toList();
        over.subList(0, Math.max(0, over.size() - MAX_ENDED)).forEach(plans::remove);
        return new RangeResult.Planned(plan);
    }

    /** Whether no other running plan drains or fills the storage peer of this plan. */
    private boolean runsAlone(Plan plan) {
        return plan.kind() == PlanKind.MOVE
                || plan.state() != Plan.State.RUNNING
                || plans.values().stream()
                        .noneMatch(each -> each.number() != plan.number()
                                && each.state() == Plan.State.RUNNING
                                && each.kind() != PlanKind.MOVE
                                && each.nid() == plan.nid());
    }

    /** Returns the plans of a piece of the ring, as they stand in a snapshot. */
    ArcSnapshot.Plans part(Arc within) {
        return new ArcSnapshot.Plans(
                lastNumber,
                plans.values().stream()
                        .filter(plan -> within.contains(plan.homeNid()))
                        .toList());
    }

    /** Adds a {@link #part}. Plans that come from another arc keep their numbers unless these are taken here. */
    void add(ArcSnapshot.Plans part) {
        lastNumber = Math.max(lastNumber, part.lastNumber());
        for (Plan plan : part.plans()) {
            Plan kept = plans.containsKey(plan.number())
                    ? new Plan(
                            plan.homeNid(),
                            ++lastNumber,
                            plan.kind(),
                            plan.nid(),
                            plan.state(),
                            plan.note(),
                            plan.moves())
                    : plan;
            plans.put(kept.number(), kept);
        }
    }

    void remove(Arc within) {
        plans.values().removeIf(plan -> within.contains(plan.homeNid()));
    }
}
