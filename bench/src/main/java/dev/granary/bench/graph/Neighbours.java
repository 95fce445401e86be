package dev.granary.bench.graph;

import java.util.Arrays;

/** For each object those that it refers to and those that refer to it. Immutable. */
public final class Neighbours {

    /** Where the neighbours of each object begin in {@link #all}. */
    private final int[] begins;

    private final int[] all;

    private Neighbours(int[] begins, int[] all) {
        this.begins = begins;
        this.all = all;
    }

    /** Returns the neighbours by references; those who refer to each other are neighbours twice. */
    public static Neighbours of(int[][] references) {
        int[] begins = new int[references.length + 1];
        for (int object = 0; object < references.length; object++) {
            begins[object + 1] += references[object].length;
            for (int other : references[object]) {
                begins[other + 1]++;
            }
        }
        Arrays.parallelPrefix(begins, Integer::sum);
        int[] next = begins.clone();
        int[] all = new int[begins[references.length]];
        for (int object = 0; object < references.length; object++) {
            for (int other : references[object]) {
                all[next[object]++] = other;
                all[next[other]++] = object;
            }
        }
        return new Neighbours(begins, all);
    }

    /** The number of neighbours of an object. */
    public int count(int object) {
        return begins[object + 1] - begins[object];
    }

    /** Returns the neighbour at this place, from 0 to {@link #count} - 1. */
    public int get(int object, int place) {
        return all[begins[object] + place];
    }

    /**
     * Returns all objects breadth first.
     *
     * @param firsts all objects, in the order in which they begin what hangs together
     */
    public int[] breadthFirst(int[] firsts) {
        int[] order = new int[begins.length - 1];
        boolean[] seen = new boolean[order.length];
        int count = 0;
        int looked = 0;
        for (int first : firsts) {
            if (!seen[first]) {
                seen[first] = true;
                order[count++] = first;
            }
            for (; looked < count; looked++) {
                int object = order[looked];
                for (int place = 0; place < count(object); place++) {
                    int neighbour = get(object, place);
                    if (!seen[neighbour]) {
                        seen[neighbour] = true;
                        order[count++] = neighbour;
                    }
                }
            }
        }
        return order;
    }
}
