package dev.granary.cli.graph;

import java.util.Comparator;
import java.util.List;

/** The answers to the questions of {@link GraphQuestions}. */
public final class Answers {

    private Answers() {}

    /**
     * What needs a package.
     *
     * @param of the package
     * @param hops the packages at distance 1, 2, …; shorter than asked for when there are no more
     */
    public record Needs(String of, List<Hop> hops) {

        /** All packages within these hops. */
        public int total() {
            return hops.stream().mapToInt(hop -> hop.ids().size()).sum();
        }
    }

    /**
     * The packages at one distance.
     *
     * @param ids their ids in ascending order
     * @param samples names of some of them, those that most others need first
     */
    public record Hop(List<Integer> ids, List<String> samples) {}

    /**
     * A shortest chain of needs.
     *
     * @param steps in their order; empty when there is no chain
     */
    public record Path(String from, String to, List<Step> steps) {}

    /** One step of a chain: an edge with its flags, bits of {@code EdgeFlags}. */
    public record Step(String from, EdgeKind kind, String to, byte flags) {

        /** Why it is not the plain word of the package, or empty. */
        public String remark() {
            boolean alternative = (flags & EdgeFlags.ALTERNATIVE) != 0;
            boolean provided = (flags & EdgeFlags.PROVIDED) != 0;
            if (alternative && provided) {
                return "one of several, as a provider of it";
            }
            return alternative ? "one of several" : provided ? "as a provider of it" : "";
        }
    }

    /**
     * A package and how many others need it directly.
     *
     * @param dependants Depends and Pre-Depends edges to it
     */
    public record Ranked(String name, int dependants) {}

    /**
     * What a package cannot be installed with.
     *
     * @param inForce conflicts between the versions of the snapshot
     * @param otherVersions conflicts that speak of other versions
     */
    public record Conflicts(String of, List<Conflict> inForce, int otherVersions) {}

    /**
     * One conflict.
     *
     * @param with the other package
     * @param kind {@link EdgeKind#CONFLICTS} or {@link EdgeKind#BREAKS}
     * @param own whether the package itself says so; else the other one does
     */
    public record Conflict(String with, EdgeKind kind, boolean own) {

        static final Comparator<Conflict> ORDER = Comparator.comparing(Conflict::with)
                .thenComparing(Conflict::kind)
                .thenComparing(Conflict::own);
    }
}
