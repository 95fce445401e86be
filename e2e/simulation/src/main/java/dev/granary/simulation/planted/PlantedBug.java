package dev.granary.simulation.planted;

import dev.granary.simulation.ClusterShape;
import dev.granary.simulation.FaultKind;
import dev.granary.simulation.SeedPlan;
import dev.granary.simulation.SeedResult;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What is wrong on purpose, and the faults that bring it to light. Immutable: what changes one makes another.
 * All there are stand in {@link PlantedBugs}.
 */
public final class PlantedBug {

    private static final int OPERATIONS = 1_000;

    private final int rule;
    private final String name;
    private final String summary;
    private final Set<FaultKind> kinds;
    private final Sign sign;
    private final boolean withCopies;
    private final boolean lastCrash;
    private final UnaryOperator<ClusterShape> planting;

    private PlantedBug(
            int rule,
            String name,
            String summary,
            Set<FaultKind> kinds,
            Sign sign,
            boolean withCopies,
            boolean lastCrash,
            UnaryOperator<ClusterShape> planting) {
        this.rule = rule;
        this.name = name;
        this.summary = summary;
        this.kinds = kinds;
        this.sign = sign;
        this.withCopies = withCopies;
        this.lastCrash = lastCrash;
        this.planting = planting;
    }

    /** A bug of which is not said yet how it is planted; clients see what cannot be, in a cluster without copies. */
    static PlantedBug of(int rule, String name, String summary) {
        return new PlantedBug(rule, name, summary, Set.of(), Sign.HISTORY, false, false, UnaryOperator.identity());
    }

    /** With the faults that it takes. */
    PlantedBug under(FaultKind... some) {
        return new PlantedBug(rule, name, summary, Set.of(some), sign, withCopies, lastCrash, planting);
    }

    /** With another way to show. */
    PlantedBug shownAs(Sign other) {
        return new PlantedBug(rule, name, summary, kinds, other, withCopies, lastCrash, planting);
    }

    /** In a cluster whose chunks have copies. */
    PlantedBug withCopies() {
        return new PlantedBug(rule, name, summary, kinds, sign, true, lastCrash, planting);
    }

    /** In the same, where all storage peers crash at the end: what backups have shows then. */
    PlantedBug withCopiesAndLastCrash() {
        return new PlantedBug(rule, name, summary, kinds, sign, true, true, planting);
    }

    /** With what plants it. */
    PlantedBug by(UnaryOperator<ClusterShape> how) {
        return new PlantedBug(rule, name, summary, kinds, sign, withCopies, lastCrash, how);
    }

    /** The number of the rule of safety that it breaks. */
    public int rule() {
        return rule;
    }

    /** The name on the command line. */
    public String name() {
        return name;
    }

    /** What is wrong, in one sentence. */
    public String summary() {
        return summary;
    }

    /** Whether it shows only where chunks have copies. */
    public boolean needsCopies() {
        return withCopies;
    }

    /** A run in which it may show, without it. */
    public SeedPlan planWithout(long seed) {
        SeedPlan usual =
                SeedPlan.of(seed).withOperations(OPERATIONS).withKinds(kinds).withLastCrash(lastCrash);
        return usual.withShape(usual.shape().withReplicated(withCopies));
    }

    /** The same run with it. */
    public SeedPlan planWith(long seed) {
        SeedPlan without = planWithout(seed);
        return without.withShape(plant(without.shape()));
    }

    /** A cluster with it. */
    public ClusterShape plant(ClusterShape shape) {
        return planting.apply(shape);
    }

    /** What a run shows of it; empty when it does not show. */
    public Optional<String> shownBy(SeedResult result) {
        return sign.in(result);
    }

    @Override
    public String toString() {
        return name;
    }
}
