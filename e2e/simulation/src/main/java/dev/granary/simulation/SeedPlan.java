package dev.granary.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What is run for a seed.
 *
 * @param seed gives everything that is random
 * @param shape of the cluster
 * @param kinds of faults
 * @param operations that clients begin at least
 * @param only the numbers of the faults that are injected, and no others; empty for all, and for as many of the reserve
 *     as it takes for each kind to take effect
 * @param trace is told every event
 */
public record SeedPlan(
        long seed,
        ClusterShape shape,
        Set<FaultKind> kinds,
        int operations,
        Optional<Set<Integer>> only,
        Optional<Consumer<String>> trace) {

    /** How many kinds of faults that wait for each other are in one seed. */
    private static final int MOST_IN_TURN = 6;

    /** Where faults wait for each other, every such seed has one that takes long beside those. */
    private static final int LONG_ONE_EVERY = 3;

    /** How many operations clients begin in each seed. */
    public static final int USUAL_OPERATIONS = 2_000;

    /** A seed with three super-peers, five storage peers, four clients and all faults. */
    public static SeedPlan of(long seed) {
        return new SeedPlan(
                seed,
                ClusterShape.of(3, 5, 4),
                FaultKind.parse("all"),
                USUAL_OPERATIONS,
                Optional.empty(),
                Optional.empty());
    }

    /**
     * The kinds of faults that mean something for a cluster of this shape. Those that wait for each other are at most so many
     * in a seed, and others in the next one.
     */
    public Set<FaultKind> kindsThatApply() {
        Set<FaultKind> fitting =
                kinds.stream().filter(kind -> kind.fits(shape.superPeers())).collect(Collectors.toUnmodifiableSet());
        if (!shape.replicated()) {
            return fitting.stream().filter(kind -> !kind.needsCopies()).collect(Collectors.toUnmodifiableSet());
        }
        List<FaultKind> inTurn = new ArrayList<>(fitting.stream()
                .filter(kind -> kind.mayEndStoragePeer() && !kind.takesLong())
                .sorted()
                .toList());
        Collections.shuffle(inTurn, new Random(seed));
        Set<FaultKind> left = EnumSet.noneOf(FaultKind.class);
        fitting.stream()
                .filter(kind -> kind.takesLong() ? seed % LONG_ONE_EVERY == 0 : !kind.mayEndStoragePeer())
                .forEach(left::add);
        left.addAll(inTurn.subList(0, Math.min(MOST_IN_TURN, inTurn.size())));
        return Collections.unmodifiableSet(left);
    }

    public SeedPlan withShape(ClusterShape other) {
        return new SeedPlan(seed, other, kinds, operations, only, trace);
    }

    public SeedPlan withKinds(Set<FaultKind> others) {
        return new SeedPlan(seed, shape, others, operations, only, trace);
    }

    public SeedPlan withOperations(int count) {
        return new SeedPlan(seed, shape, kinds, count, only, trace);
    }

    /** With these faults of the schedule alone. */
    public SeedPlan withOnly(Set<Integer> faults) {
        return new SeedPlan(seed, shape, kinds, operations, Optional.of(faults), trace);
    }

    public SeedPlan withTrace(Consumer<String> sink) {
        return new SeedPlan(seed, shape, kinds, operations, only, Optional.of(sink));
    }
}
