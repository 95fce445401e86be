package dev.granary.cli.graph;

import java.util.Arrays;

/**
 * The adjacency lists of all vertices for one kind of edge and one direction, as three flat arrays. Immutable once
 * built. The list of vertex v lies at positions {@code offsets[v]} (inclusive) to {@code offsets[v + 1]} (exclusive),
 * ordered by target, each target once.
 */
final class AdjacencyLists {

    private final int[] offsets;
    private final int[] targets;
    private final byte[] flags;

    private AdjacencyLists(int[] offsets, int[] targets, byte[] flags) {
        this.offsets = offsets;
        this.targets = targets;
        this.flags = flags;
    }

    int vertices() {
        return offsets.length - 1;
    }

    int edges() {
        return targets.length;
    }

    int begin(int vertex) {
        return offsets[vertex];
    }

    int end(int vertex) {
        return offsets[vertex + 1];
    }

    int degree(int vertex) {
        return offsets[vertex + 1] - offsets[vertex];
    }

    int target(int position) {
        return targets[position];
    }

    /** The flags of an edge, bits of {@link EdgeFlags}. */
    byte flags(int position) {
        return flags[position];
    }

    /** The position of the edge from {@code vertex} to {@code target}, or a negative number when there is none. */
    int find(int vertex, int target) {
        return Arrays.binarySearch(targets, begin(vertex), end(vertex), target);
    }

    /** The same edges in the other direction. */
    AdjacencyLists reversed() {
        int[] reversedOffsets = new int[offsets.length];
        for (int target : targets) {
            reversedOffsets[target + 1]++;
        }
        Arrays.parallelPrefix(reversedOffsets, Integer::sum);
        int[] next = Arrays.copyOf(reversedOffsets, reversedOffsets.length);
        int[] reversedTargets = new int[targets.length];
        byte[] reversedFlags = new byte[flags.length];
        // Sources are visited in ascending order, so each reversed list comes out ordered.
        for (int source = 0; source < vertices(); source++) {
            for (int position = begin(source); position < end(source); position++) {
                int to = next[targets[position]]++;
                reversedTargets[to] = source;
                reversedFlags[to] = flags[position];
            }
        }
        return new AdjacencyLists(reversedOffsets, reversedTargets, reversedFlags);
    }

    /** Builds the lists of vertices 0, 1, 2, … one after another. */
    static final class Builder {

        private final int[] offsets;
        private int vertices;
        private int[] targets = new int[1024];
        private byte[] flags = new byte[1024];

        Builder(int vertices) {
            offsets = new int[vertices + 1];
        }

        /** Appends an edge to the list of the current vertex. The caller passes targets in ascending order. */
        void addEdge(int target, byte edgeFlags) {
            int position = offsets[vertices + 1]++;
            if (position == targets.length) {
                targets = Arrays.copyOf(targets, position * 2);
                flags = Arrays.copyOf(flags, position * 2);
            }
            targets[position] = target;
            flags[position] = edgeFlags;
        }

        /** Ends the list of the current vertex. */
        void endVertex() {
            vertices++;
            if (vertices < offsets.length - 1) {
                offsets[vertices + 1] = offsets[vertices];
            }
        }

        AdjacencyLists build() {
            int edges = offsets[offsets.length - 1];
            return new AdjacencyLists(offsets, Arrays.copyOf(targets, edges), Arrays.copyOf(flags, edges));
        }
    }
}
