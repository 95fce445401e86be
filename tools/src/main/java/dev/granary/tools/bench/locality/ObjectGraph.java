package dev.granary.tools.bench.locality;

import dev.granary.cli.graph.PackageGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
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

    /** How often an object of the power-law graph refers to what its last one refers to. */
    private static final double FRIENDS_OF_FRIENDS = 0.8;

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
     * Returns people and those whom they follow: a few are followed by very many, and those whom one follows follow
     * each other (P. Holme and B. Kim, Growing scale-free networks with tunable clustering, 2002, with directed
     * references).
     *
     * @param count the number of roots, of a {@value #OBJECTS_PER_ROOT}th of all objects
     */
    static ObjectGraph powerLaw(int count) {
        int objects = Math.max(count * OBJECTS_PER_ROOT, 2 * FANOUT);
        SplittableRandom random = new SplittableRandom(1);
        int[][] references = new int[objects][];
        // Each object stands here once, and once more for each reference to it.
        int[] ends = new int[objects * (1 + FANOUT)];
        int size = 0;
        for (int object = 0; object < objects; object++) {
            Set<Integer> chosen = new LinkedHashSet<>();
            int last = -1;
            while (chosen.size() < Math.min(FANOUT, object)) {
                int[] friends = last < 0 ? new int[0] : references[last];
                last = friends.length > 0 && random.nextDouble() < FRIENDS_OF_FRIENDS
                        ? friends[random.nextInt(friends.length)]
                        : ends[random.nextInt(size)];
                chosen.add(last);
            }
            references[object] = chosen.stream().mapToInt(Integer::intValue).toArray();
            ends[size++] = object;
            for (int other : references[object]) {
                ends[size++] = other;
            }
        }
        return new ObjectGraph(
                references, drawn(IntStream.range(FANOUT, objects).toArray(), count));
    }

    private static int[] drawn(int[] all, int count) {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = all.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swapped = all[i];
            all[i] = all[other];
            all[other] = swapped;
        }
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
