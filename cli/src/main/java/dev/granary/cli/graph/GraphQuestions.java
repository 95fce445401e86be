package dev.granary.cli.graph;

import dev.granary.cli.graph.Answers.Conflict;
import dev.granary.cli.graph.Answers.Conflicts;
import dev.granary.cli.graph.Answers.Hop;
import dev.granary.cli.graph.Answers.Needs;
import dev.granary.cli.graph.Answers.Path;
import dev.granary.cli.graph.Answers.Ranked;
import dev.granary.cli.graph.Answers.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Answers questions about a stored graph from its chunks alone, with one batch of reads for each level of a search.
 *
 * <p>"Needs" means Depends or Pre-Depends, in force for the versions of the snapshot, also as one of several
 * alternatives or through a virtual package.
 */
public final class GraphQuestions {

    private static final Set<EdgeKind> NEEDS =
            Collections.unmodifiableSet(EnumSet.of(EdgeKind.PRE_DEPENDS, EdgeKind.DEPENDS));
    private static final Set<EdgeKind> CONFLICTS =
            Collections.unmodifiableSet(EnumSet.of(EdgeKind.CONFLICTS, EdgeKind.BREAKS));
    private static final int SAMPLES = 5;

    private static final Comparator<VertexChunk> MOST_NEEDED_FIRST =
            Comparator.comparingInt(GraphQuestions::dependants).reversed().thenComparing(VertexChunk::name);

    private final StoredGraph graph;

    /** Makes questions to this graph. */
    public GraphQuestions(StoredGraph graph) {
        this.graph = graph;
    }

    /**
     * Which packages need this one, directly or through others?
     *
     * @param hops the largest distance in edges, at least 1
     * @throws UnknownPackageException when there is no such package
     */
    public Needs needs(String name, int hops) {
        long start = graph.find(name);
        Set<Long> seen = new HashSet<>(Set.of(start));
        List<VertexChunk> frontier = graph.vertices(new long[] {start});
        List<Hop> answer = new ArrayList<>();
        for (int hop = 1; hop <= hops && !frontier.isEmpty(); hop++) {
            Set<Long> reached = new HashSet<>();
            graph.forEachEdge(frontier, NEEDS, Direction.INCOMING, (source, kind, cid, flags) -> {
                if (EdgeFlags.inForce(flags) && seen.add(cid)) {
                    reached.add(cid);
                }
            });
            frontier = graph.vertices(toArray(reached));
            if (!frontier.isEmpty()) {
                answer.add(hop(frontier));
            }
        }
        return new Needs(name, answer);
    }

    /**
     * What is the shortest chain of needs from one package to another?
     *
     * @return the path; it has no steps when there is no chain, or when both are the same package
     * @throws UnknownPackageException when one of the packages does not exist
     */
    public Path path(String from, String to) {
        long start = graph.find(from);
        long end = graph.find(to);
        Map<Long, Departure> arrivals = new HashMap<>();
        long[] frontier = {start};
        Set<Long> seen = new HashSet<>(Set.of(start));
        while (!seen.contains(end) && frontier.length > 0) {
            long[] sources = frontier;
            Set<Long> reached = new HashSet<>();
            graph.forEachEdge(graph.vertices(sources), NEEDS, Direction.OUTGOING, (source, kind, cid, flags) -> {
                if (EdgeFlags.inForce(flags) && seen.add(cid)) {
                    reached.add(cid);
                    arrivals.put(cid, new Departure(sources[source], kind, flags));
                }
            });
            frontier = toArray(reached);
        }
        return new Path(from, to, stepsBack(arrivals, end));
    }

    /** Which packages are needed by the most others directly? All vertices are read. */
    public List<Ranked> mostNeeded(int count) {
        return graph.vertices(graph.vertexCids()).stream()
                .sorted(MOST_NEEDED_FIRST)
                .limit(count)
                .map(vertex -> new Ranked(vertex.name(), dependants(vertex)))
                .toList();
    }

    /**
     * With which packages can this one not be installed, by its own relations or by theirs?
     *
     * @throws UnknownPackageException when there is no such package
     */
    public Conflicts conflicts(String name) {
        List<VertexChunk> vertex = graph.vertices(new long[] {graph.find(name)});
        List<Edge> edges = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            graph.forEachEdge(vertex, CONFLICTS, direction, (source, kind, cid, flags) -> {
                edges.add(new Edge(kind, direction, cid, flags));
            });
        }
        List<VertexChunk> others =
                graph.vertices(edges.stream().mapToLong(Edge::cid).toArray());
        List<Conflict> inForce = new ArrayList<>();
        for (int index = 0; index < edges.size(); index++) {
            Edge edge = edges.get(index);
            if (EdgeFlags.inForce(edge.flags())) {
                boolean own = edge.direction() == Direction.OUTGOING;
                inForce.add(new Conflict(others.get(index).name(), edge.kind(), own));
            }
        }
        inForce.sort(Conflict.ORDER);
        return new Conflicts(name, inForce, edges.size() - inForce.size());
    }

    /** The steps from the start, which has no departure, to the end. Empty when the search did not reach the end. */
    private List<Step> stepsBack(Map<Long, Departure> arrivals, long end) {
        List<Long> stations = new ArrayList<>(List.of(end));
        List<Departure> departures = new ArrayList<>();
        for (Departure departure = arrivals.get(end); departure != null; departure = arrivals.get(departure.from())) {
            departures.addFirst(departure);
            stations.addFirst(departure.from());
        }
        List<VertexChunk> vertices =
                graph.vertices(stations.stream().mapToLong(Long::longValue).toArray());
        List<Step> steps = new ArrayList<>();
        for (int index = 0; index < departures.size(); index++) {
            Departure departure = departures.get(index);
            String from = vertices.get(index).name();
            String to = vertices.get(index + 1).name();
            steps.add(new Step(from, departure.kind(), to, departure.flags()));
        }
        return steps;
    }

    private static Hop hop(List<VertexChunk> vertices) {
        List<String> samples = vertices.stream()
                .sorted(MOST_NEEDED_FIRST)
                .limit(SAMPLES)
                .map(VertexChunk::name)
                .toList();
        return new Hop(
                vertices.stream().mapToInt(VertexChunk::id).sorted().boxed().toList(), samples);
    }

    private static int dependants(VertexChunk vertex) {
        return vertex.list(EdgeKind.DEPENDS, Direction.INCOMING).degree()
                + vertex.list(EdgeKind.PRE_DEPENDS, Direction.INCOMING).degree();
    }

    private static long[] toArray(Set<Long> cids) {
        long[] array = cids.stream().mapToLong(Long::longValue).toArray();
        // A fixed order, so that the path does not depend on the order of the set.
        Arrays.sort(array);
        return array;
    }

    private record Edge(EdgeKind kind, Direction direction, long cid, byte flags) {}

    /** The edge by which a search first reached a vertex. */
    private record Departure(long from, EdgeKind kind, byte flags) {}
}
