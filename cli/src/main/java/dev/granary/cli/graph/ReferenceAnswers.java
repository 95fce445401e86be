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
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Answers the same questions from the graph in memory, by other code. An answer from chunks that differs is an error.
 * Each check returns when the answers agree and throws {@link GraphMismatchException} when they do not.
 */
public final class ReferenceAnswers {

    private static final EdgeKind[] NEEDS = {EdgeKind.PRE_DEPENDS, EdgeKind.DEPENDS};

    private final PackageGraph graph;

    /** Answers from this graph. */
    public ReferenceAnswers(PackageGraph graph) {
        this.graph = graph;
    }

    /** Checks the packages at each distance. */
    public void check(Needs needs, int hops) {
        int[] distances = distances(graph.idOf(needs.of()), Direction.INCOMING);
        for (int hop = 1; hop <= hops; hop++) {
            int distance = hop;
            List<Integer> expected = IntStream.range(0, distances.length)
                    .filter(id -> distances[id] == distance)
                    .boxed()
                    .toList();
            List<Hop> found = needs.hops();
            expectEqual(
                    "packages that need " + needs.of() + " in " + hop + " hops",
                    hop <= found.size() ? found.get(hop - 1).ids() : List.of(),
                    expected);
        }
    }

    /** Checks that the graph has the path, and none that is shorter. */
    public void check(Path path) {
        int distance = distances(graph.idOf(path.from()), Direction.OUTGOING)[graph.idOf(path.to())];
        String what = "path from " + path.from() + " to " + path.to();
        expectEqual("length of the " + what, path.steps().size(), Math.max(distance, 0));
        String at = path.from();
        for (Step step : path.steps()) {
            expectEqual("next step of the " + what, step.from(), at);
            AdjacencyLists lists = graph.lists(step.kind(), Direction.OUTGOING);
            int edge = lists.find(graph.idOf(step.from()), graph.idOf(step.to()));
            if (edge < 0 || lists.flags(edge) != step.flags() || !EdgeFlags.inForce(step.flags())) {
                throw new GraphMismatchException("the " + what + " has a step that the snapshot does not: " + step);
            }
            at = step.to();
        }
        if (!path.steps().isEmpty()) {
            expectEqual("end of the " + what, at, path.to());
        }
    }

    /** Checks names, numbers and order. */
    public void checkMostNeeded(List<Ranked> ranked) {
        List<Ranked> all = new ArrayList<>();
        for (int id = 0; id < graph.vertices(); id++) {
            int dependants = 0;
            for (EdgeKind kind : NEEDS) {
                dependants += graph.lists(kind, Direction.INCOMING).degree(id);
            }
            all.add(new Ranked(graph.vertex(id).name(), dependants));
        }
        all.sort(Comparator.comparingInt(Ranked::dependants).reversed().thenComparing(Ranked::name));
        expectEqual("most needed packages", ranked, all.subList(0, ranked.size()));
    }

    /** Checks all conflicts of a package. */
    public void check(Conflicts conflicts) {
        List<Conflict> inForce = new ArrayList<>();
        int others = 0;
        for (EdgeKind kind : new EdgeKind[] {EdgeKind.CONFLICTS, EdgeKind.BREAKS}) {
            for (Direction direction : Direction.values()) {
                AdjacencyLists lists = graph.lists(kind, direction);
                int id = graph.idOf(conflicts.of());
                for (int edge = lists.begin(id); edge < lists.end(id); edge++) {
                    if (EdgeFlags.inForce(lists.flags(edge))) {
                        String with = graph.vertex(lists.target(edge)).name();
                        inForce.add(new Conflict(with, kind, direction == Direction.OUTGOING));
                    } else {
                        others++;
                    }
                }
            }
        }
        inForce.sort(Conflict.ORDER);
        expectEqual("conflicts of " + conflicts.of(), conflicts, new Conflicts(conflicts.of(), inForce, others));
    }

    /** Breadth-first distances over needs in force; -1 for vertices that are not reached. */
    private int[] distances(int start, Direction direction) {
        int[] distances = new int[graph.vertices()];
        Arrays.fill(distances, -1);
        int[] queue = new int[graph.vertices()];
        int tail = 0;
        distances[start] = 0;
        queue[tail++] = start;
        for (int head = 0; head < tail; head++) {
            int vertex = queue[head];
            for (EdgeKind kind : NEEDS) {
                AdjacencyLists lists = graph.lists(kind, direction);
                for (int edge = lists.begin(vertex); edge < lists.end(vertex); edge++) {
                    int target = lists.target(edge);
                    if (distances[target] < 0 && EdgeFlags.inForce(lists.flags(edge))) {
                        distances[target] = distances[vertex] + 1;
                        queue[tail++] = target;
                    }
                }
            }
        }
        return distances;
    }

    private static void expectEqual(String what, Object fromChunks, Object fromSnapshot) {
        if (!fromChunks.equals(fromSnapshot)) {
            throw new GraphMismatchException(
                    "the " + what + ": from chunks " + fromChunks + ", from the snapshot " + fromSnapshot);
        }
    }
}
