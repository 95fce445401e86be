package dev.granary.tools.bench.locality;

import dev.granary.bench.graph.PowerLaw;
import dev.granary.cli.graph.PackageGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Objects that refer to others, and those from which reads begin. Objects are numbers from 0. A read is of an object
 * and of what it reaches in {@value #STEPS} steps.
 */
final class ObjectGraph {

    static final int STEPS = 2;

    /** References of an object in trees and in the power-law graph. */
    static final int FANOUT = 8;

    /** Objects of a tree: a root, its children, and theirs. */
    static final int TREE = 1 + FANOUT + FANOUT * FANOUT;

    /** Objects of the power-law graph for each root that is read. */
    static final int OBJECTS_PER_ROOT = 20;

    private final int[][] references;
    private final int[] roots;

    /**
     * A graph.
     *
     * @param references for each object those that it refers to, each once
     * @param roots where reads begin
     */
    ObjectGraph(int[][] references, int[] roots) {
        this.references = references;
        this.roots = roots;
    }

    /** Returns trees that have nothing in common. */
    static ObjectGraph trees(int count) {
        int[][] references = new int[count * TREE][];
        Arrays.setAll(references, object -> {
            int place = object % TREE;
            int first = object - place + 1 + place * FANOUT;
            return place <= FANOUT ? IntStream.range(first, first + FANOUT).toArray() : new int[0];
        });
        return new ObjectGraph(
                references, IntStream.range(0, count).map(tree -> tree * TREE).toArray());
    }

    /**
     * Returns the packages of the Debian archive. Each refers to the packages that it needs.
     *
     * @param count the most roots, drawn from the packages that need others
     */
    static ObjectGraph packages(PackageGraph graph, int count) {
        int[][] needs = graph.needs();
        int[] some = IntStream.range(0, needs.length)
                .filter(id -> needs[id].length > 0)
                .toArray();
        return new ObjectGraph(needs, drawn(some, count));
    }

    /**
     * Returns people and those whom they follow ({@link PowerLaw}).
     *
     * @param count the number of roots, of a {@value #OBJECTS_PER_ROOT}th of all objects
     */
    static ObjectGraph powerLaw(int count) {
        int objects = Math.max(count * OBJECTS_PER_ROOT, 2 * FANOUT);
        int[][] references = PowerLaw.references(objects, FANOUT);
        return new ObjectGraph(
                references, drawn(IntStream.range(FANOUT, objects).toArray(), count));
    }

    private static int[] drawn(int[] all, int count) {
        Placement.shuffle(all, 2);
        return Arrays.copyOf(all, Math.min(count, all.length));
    }

    /** For each object those that it refers to. Not to be changed. */
    int[][] references() {
        return references;
    }

    /** Where reads begin. Not to be changed. */
    int[] roots() {
        return roots;
    }

    int objects() {
        return references.length;
    }

    /** Returns what a read finds, each object once, the root first, then step by step. */
    int[] reachable(int root) {
        Set<Integer> seen = new LinkedHashSet<>(List.of(root));
        List<Integer> edge = List.of(root);
        for (int step = 0; step < STEPS; step++) {
            List<Integer> next = new ArrayList<>();
            for (int object : edge) {
                for (int other : references[object]) {
                    if (seen.add(other)) {
                        next.add(other);
                    }
                }
            }
            edge = next;
        }
        return seen.stream().mapToInt(Integer::intValue).toArray();
    }
}
