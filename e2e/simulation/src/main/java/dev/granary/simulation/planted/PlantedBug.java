package dev.granary.simulation.planted;

import dev.granary.simulation.ClusterShape;
import dev.granary.simulation.FaultKind;
import dev.granary.simulation.SeedPlan;
import dev.granary.simulation.SeedResult;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A bug planted on purpose, and the faults that make it show. Immutable: each method that changes one returns a copy.
 * {@link PlantedBugs} lists all of them.
 */
public final class PlantedBug {

    private final int rule;
    private final String name;
    private final String summary;
    private final Set<FaultKind> kinds;
    private final Sign sign;
    private final boolean withCopies;
    private final boolean lastCrash;
    private final boolean withKeys;
    private final UnaryOperator<ClusterShape> planting;

    private PlantedBug(
            int rule,
            String name,
            String summary,
            Set<FaultKind> kinds,
            Sign sign,
            boolean withCopies,
            boolean lastCrash,
            boolean withKeys,
            UnaryOperator<ClusterShape> planting) {
        this.rule = rule;
        this.name = name;
        this.summary = summary;
        this.kinds = kinds;
        this.sign = sign;
        this.withCopies = withCopies;
        this.lastCrash = lastCrash;
        this.withKeys = withKeys;
        this.planting = planting;
    }

    /**
     * Returns a bug of which it is not said yet how it is planted. By default a history shows it, in a cluster without
     * copies.
     */
    static PlantedBug of(int rule, String name, String summary) {
        return new PlantedBug(
                rule, name, summary, Set.of(), Sign.HISTORY, false, false, false, UnaryOperator.identity());
    }

    /** Returns this bug with the faults that it takes to show. */
    PlantedBug under(FaultKind... some) {
        return new PlantedBug(rule, name, summary, Set.of(some), sign, withCopies, lastCrash, withKeys, planting);
    }

    /** Returns this bug with another sign by which it shows. */
    PlantedBug shownAs(Sign other) {
        return new PlantedBug(rule, name, summary, kinds, other, withCopies, lastCrash, withKeys, planting);
    }

    /** Returns this bug for a cluster whose chunks have copies. */
    PlantedBug withCopies() {
        return new PlantedBug(rule, name, summary, kinds, sign, true, lastCrash, withKeys, planting);
    }

    /** Like {@link #withCopies}, and all storage peers crash at the end: then it shows what backups have. */
    PlantedBug withCopiesAndLastCrash() {
        return new PlantedBug(rule, name, summary, kinds, sign, true, true, withKeys, planting);
    }

    /** Returns this bug for a cluster with copies whose clients use keys. */
    PlantedBug withKeys() {
        return new PlantedBug(rule, name, summary, kinds, sign, true, lastCrash, true, planting);
    }

    /** Returns this bug with the function that plants it. */
    PlantedBug by(UnaryOperator<ClusterShape> how) {
        return new PlantedBug(rule, name, summary, kinds, sign, withCopies, lastCrash, withKeys, how);
    }

    /** Returns the number of the safety rule that it breaks. */
    public int rule() {
        return rule;
    }

    /** Returns the name on the command line. */
    public String name() {
        return name;
    }

    /** Returns what is wrong, in one sentence. */
    public String summary() {
        return summary;
    }

    /** Whether it shows only where chunks have copies. */
    public boolean needsCopies() {
        return withCopies;
    }

    /** Returns the run in which the bug may show, but without the bug. */
    CleanRuns.CleanRun without(long seed) {
        return new CleanRuns.CleanRun(seed, kinds, withCopies, lastCrash, withKeys);
    }

    /** Returns the plan of that run. */
    public SeedPlan planWithout(long seed) {
        return without(seed).plan();
    }

    /** Returns the same plan with the bug. */
    public SeedPlan planWith(long seed) {
        SeedPlan without = planWithout(seed);
        return without.withShape(plant(without.shape()));
    }

    /** Returns a cluster with the bug. */
    public ClusterShape plant(ClusterShape shape) {
        return planting.apply(shape);
    }

    /** Returns what a run shows of the bug; empty when the bug does not show. */
    public Optional<String> shownBy(SeedResult result) {
        return sign.in(result);
    }

    @Override
    public String toString() {
        return name;
    }
}
