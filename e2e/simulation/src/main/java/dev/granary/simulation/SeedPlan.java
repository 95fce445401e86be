package dev.granary.simulation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * How a seed is run.
 *
 * @param seed determines everything that is random
 * @param shape the shape of the cluster
 * @param kinds the kinds of faults
 * @param operations the fewest operations that clients begin
 * @param only the numbers of the faults that are injected, and no others; empty for all, and for as many of the reserve
 *     as it takes until each kind has taken effect
 * @param swarm whether each seed leaves out other kinds of faults and shrinks other sizes ({@link Swarm}); otherwise
 *     there is a fault of each kind, and more until one has taken effect
 * @param trace is told every event
 * @param historyFolder gets a file with what clients asked and saw (docs/formats/history.md)
 * @param lastCrash whether all storage peers are killed after everything was read, and everything is read again: this
 *     shows copies that differ from what their owner has
 */
public record SeedPlan(
        long seed,
        ClusterShape shape,
        Set<FaultKind> kinds,
        int operations,
        Optional<Set<Integer>> only,
        boolean swarm,
        Optional<Consumer<String>> trace,
        Optional<Path> historyFolder,
        boolean lastCrash) {

    /** How many kinds of faults that wait for each other a seed has at most. */
    private static final int MOST_IN_TURN = 6;

    /** Of the seeds whose faults wait for each other, one in this many also has a kind that takes long. */
    private static final int LONG_ONE_EVERY = 3;

    /** How many operations clients begin in each seed. */
    public static final int USUAL_OPERATIONS = 2_000;

    /** Returns a plan with three super-peers, five storage peers, four clients and all faults. */
    public static SeedPlan of(long seed) {
        return new SeedPlan(
                seed,
                ClusterShape.of(3, 5, 4),
                FaultKind.parse("all"),
                USUAL_OPERATIONS,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** Returns how many faults of each kind there are; kinds that are left out are missing. */
    Map<FaultKind, Integer> swarmFaults() {
        return new Swarm(seed).faults(fittingKinds(), shape.replicated());
    }

    /** Returns the faults of this seed. */
    FaultSchedule schedule() {
        return swarm ? FaultSchedule.of(seed, swarmFaults(), shape) : FaultSchedule.of(seed, kindsThatApply(), shape);
    }

    /** Returns the shape of the cluster that is run. */
    ClusterShape tunedShape() {
        return swarm ? shape.withTuning(new Swarm(seed).tuning()) : shape;
    }

    /** Returns the fault kinds that make sense for a cluster of this shape. */
    public Set<FaultKind> fittingKinds() {
        return kinds.stream()
                .filter(kind -> kind.fits(shape.superPeers()) && (shape.replicated() || !kind.needsCopies()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the fault kinds of this seed, of those that make sense for a cluster of this shape. A seed has at most
     * six kinds that wait for each other, and the next seed has others.
     */
    public Set<FaultKind> kindsThatApply() {
        Set<FaultKind> fitting = fittingKinds();
        if (swarm) {
            return swarmFaults().keySet();
        }
        if (!shape.replicated()) {
            return fitting;
        }
        List<FaultKind> inTurn = new ArrayList<>(fitting.stream()
                .filter(kind -> kind.mayEndStoragePeer() && !kind.takesLong() && !kind.isSingle())
                .sorted()
                .toList());
        Collections.shuffle(inTurn, new Random(seed));
        Set<FaultKind> left = EnumSet.noneOf(FaultKind.class);
        fitting.stream()
                .filter(kind ->
                        kind.takesLong() ? seed % LONG_ONE_EVERY == 0 : !kind.mayEndStoragePeer() || kind.isSingle())
                .forEach(left::add);
        left.addAll(inTurn.subList(0, Math.min(MOST_IN_TURN, inTurn.size())));
        return Collections.unmodifiableSet(left);
    }

    public SeedPlan withShape(ClusterShape other) {
        return new SeedPlan(seed, other, kinds, operations, only, swarm, trace, historyFolder, lastCrash);
    }

    public SeedPlan withKinds(Set<FaultKind> others) {
        return new SeedPlan(seed, shape, others, operations, only, swarm, trace, historyFolder, lastCrash);
    }

    public SeedPlan withOperations(int count) {
        return new SeedPlan(seed, shape, kinds, count, only, swarm, trace, historyFolder, lastCrash);
    }

    /** Returns this plan with only these faults of its schedule. */
    public SeedPlan withOnly(Set<Integer> faults) {
        return new SeedPlan(
                seed, shape, kinds, operations, Optional.of(faults), swarm, trace, historyFolder, lastCrash);
    }

    /** Returns this plan with or without a {@link Swarm}: each seed leaves out other kinds and shrinks other sizes. */
    public SeedPlan withSwarm(boolean wanted) {
        return new SeedPlan(seed, shape, kinds, operations, only, wanted, trace, historyFolder, lastCrash);
    }

    public SeedPlan withTrace(Consumer<String> sink) {
        return new SeedPlan(seed, shape, kinds, operations, only, swarm, Optional.of(sink), historyFolder, lastCrash);
    }

    /** Returns this plan, writing the history to a file in a folder, whatever the result is. */
    public SeedPlan withHistory(Path folder) {
        return new SeedPlan(seed, shape, kinds, operations, only, swarm, trace, Optional.of(folder), lastCrash);
    }

    /** Returns this plan with or without a crash of all storage peers at the end. */
    public SeedPlan withLastCrash(boolean wanted) {
        return new SeedPlan(seed, shape, kinds, operations, only, swarm, trace, historyFolder, wanted);
    }
}
