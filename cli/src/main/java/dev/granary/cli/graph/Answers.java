package dev.granary.cli.graph;

import java.util.Comparator;
import java.util.List;

/** The answers to the questions of {@link GraphQuestions}. */
public final class Answers {

    private Answers() {}

    /**
     * The packages that need a package.
     *
     * @param of the package
     * @param hops the packages at distance 1, 2, …; fewer distances than requested when there are no more packages
     */
    public record Needs(String of, List<Hop> hops) {

        /** The number of packages within these hops. */
        public int total() {
            return hops.stream().mapToInt(hop -> hop.ids().size()).sum();
        }
    }

    /**
     * The packages at one distance.
     *
     * @param ids their ids in ascending order
     * @param samples names of some of them, the most needed first
     */
    public record Hop(List<Integer> ids, List<String> samples) {}

    /**
     * A shortest chain of needs.
     *
     * @param steps the steps in their order; empty when there is no chain
     */
    public record Path(String from, String to, List<Step> steps) {}

    /** One step of a chain: an edge and its flags, bits of {@code EdgeFlags}. */
    public record Step(String from, EdgeKind kind, String to, byte flags) {

        /** Says how the edge differs from a plain relation between the two packages; empty when it does not. */
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
     * A package and the number of packages that need it directly.
     *
     * @param dependants number of Depends and Pre-Depends edges to it
     */
    public record Ranked(String name, int dependants) {}

    /**
     * The packages with which a package cannot be installed.
     *
     * @param inForce conflicts between the versions of the snapshot
     * @param otherVersions number of conflicts that concern other versions
     */
    public record Conflicts(String of, List<Conflict> inForce, int otherVersions) {}

    /**
     * One conflict.
     *
     * @param with the other package
     * @param kind {@link EdgeKind#CONFLICTS} or {@link EdgeKind#BREAKS}
     * @param own whether the package itself declares the conflict; otherwise the other one does
     */
    public record Conflict(String with, EdgeKind kind, boolean own) {

        static final Comparator<Conflict> ORDER = Comparator.comparing(Conflict::with)
                .thenComparing(Conflict::kind)
                .thenComparing(Conflict::own);
    }
}
