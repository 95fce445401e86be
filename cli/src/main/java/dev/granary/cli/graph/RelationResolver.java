package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Turns relations into edges. A term is resolved to the package of that name, and to every package that provides the
 * name: a provision without version meets only terms without version (Debian Policy Manual, section 7.5). A package is
 * never related to itself. The named package gets an edge even when the term concerns other versions; the edge then has
 * the flag {@link EdgeFlags#OTHER_VERSION}.
 */
final class RelationResolver {

    private final List<PackageRecord> packages;
    private final Map<String, Integer> ids;
    private final Map<String, List<Provision>> provisions = new HashMap<>();

    RelationResolver(List<PackageRecord> packages, Map<String, Integer> ids) {
        this.packages = packages;
        this.ids = ids;
        for (int id = 0; id < packages.size(); id++) {
            for (List<Relation> clause : Relation.parseField(packages.get(id).provides())) {
                Relation provided = clause.getFirst();
                provisions
                        .computeIfAbsent(provided.name(), name -> new ArrayList<>())
                        .add(new Provision(id, provided.version()));
            }
        }
    }

    /** The outgoing lists of one kind, and how relations became their edges. */
    Resolved resolve(EdgeKind kind) {
        Counter counter = new Counter();
        AdjacencyLists.Builder lists = new AdjacencyLists.Builder(packages.size());
        for (int id = 0; id < packages.size(); id++) {
            Map<Integer, Byte> edges = new TreeMap<>();
            for (List<Relation> clause : Relation.parseField(packages.get(id).field(kind))) {
                byte clauseFlags = clause.size() > 1 ? EdgeFlags.ALTERNATIVE : 0;
                for (Relation term : clause) {
                    counter.count(term, addEdges(id, term, clauseFlags, edges));
                }
            }
            edges.forEach((target, flags) -> {
                lists.addEdge(target, flags);
                counter.otherVersionEdges += EdgeFlags.inForce(flags) ? 0 : 1;
            });
            lists.endVertex();
        }
        AdjacencyLists built = lists.build();
        return new Resolved(built, counter.resolution(built.edges()));
    }

    private Outcome addEdges(int source, Relation term, byte clauseFlags, Map<Integer, Byte> edges) {
        Outcome outcome = Outcome.ABSENT;
        int named = ids.getOrDefault(term.name(), -1);
        if (named >= 0) {
            boolean admitted = term.admits(packages.get(named).version());
            int flags = clauseFlags | (admitted ? 0 : EdgeFlags.OTHER_VERSION);
            outcome = outcome.or(addEdge(source, named, (byte) flags, edges));
        }
        for (Provision provision : provisions.getOrDefault(term.name(), List.of())) {
            if (provision.meets(term)) {
                byte flags = (byte) (clauseFlags | EdgeFlags.PROVIDED);
                outcome = outcome.or(addEdge(source, provision.provider(), flags, edges));
            }
        }
        return outcome;
    }

    private static Outcome addEdge(int source, int target, byte flags, Map<Integer, Byte> edges) {
        if (source == target) {
            return Outcome.OWN;
        }
        edges.merge(target, flags, (a, b) -> (byte) (a & b));
        return Outcome.EDGE;
    }

    /**
     * @param lists outgoing lists of one kind
     * @param resolution how relations became their edges
     */
    record Resolved(AdjacencyLists lists, Resolution resolution) {}

    /** A package provides a name. The version is empty where the provision has none. */
    private record Provision(int provider, String version) {

        boolean meets(Relation term) {
            return term.operator().isEmpty() || (!version.isEmpty() && term.admits(version));
        }
    }

    /** What became of a term. When a term was resolved in more than one way, the later constant wins. */
    private enum Outcome {
        ABSENT,
        OWN,
        EDGE;

        Outcome or(Outcome other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    private static final class Counter {

        private long terms;
        private long absentTerms;
        private long ownTerms;
        private long otherVersionEdges;
        private final Set<String> absentNames = new HashSet<>();

        void count(Relation term, Outcome outcome) {
            terms++;
            if (outcome == Outcome.ABSENT) {
                absentTerms++;
                absentNames.add(term.name());
            } else if (outcome == Outcome.OWN) {
                ownTerms++;
            }
        }

        Resolution resolution(long edges) {
            return new Resolution(terms, edges, otherVersionEdges, absentTerms, absentNames.size(), ownTerms);
        }
    }
}
