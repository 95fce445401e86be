package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts adjacency lists into chunks, level by level: all leaves, then branches over them, until each list has one chunk
 * at the top. The shape depends only on the length of the list.
 */
final class ListTree {

    private ListTree() {}

    /** The number of chunks of a list with this many edges; 0 for an empty list. */
    static long chunks(int degree) {
        if (degree == 0) {
            return 0;
        }
        int level = parts(degree);
        long chunks = level;
        while (level > 1) {
            level = parts(level);
            chunks += level;
        }
        return chunks;
    }

    /** The leaves of one vertex's list, in order. */
    static List<ListChunk> leaves(
            EdgeKind kind, Direction direction, AdjacencyLists lists, int vertex, long[] vertexCids) {
        List<ListChunk> leaves = new ArrayList<>(1);
        for (int from = lists.begin(vertex); from < lists.end(vertex); from += ChunkTypes.MAX_FANOUT) {
            int count = Math.min(ChunkTypes.MAX_FANOUT, lists.end(vertex) - from);
            long[] cids = new long[count];
            byte[] flags = new byte[count];
            for (int index = 0; index < count; index++) {
                cids[index] = vertexCids[lists.target(from + index)];
                flags[index] = lists.flags(from + index);
            }
            leaves.add(ListChunk.leaf(kind, direction, cids, flags));
        }
        return leaves;
    }

    /** The branches over these children, in order. */
    static List<ListChunk> branches(EdgeKind kind, Direction direction, long[] children) {
        List<ListChunk> branches = new ArrayList<>(1);
        for (int from = 0; from < children.length; from += ChunkTypes.MAX_FANOUT) {
            int to = Math.min(from + ChunkTypes.MAX_FANOUT, children.length);
            branches.add(ListChunk.branch(kind, direction, Arrays.copyOfRange(children, from, to)));
        }
        return branches;
    }

    private static int parts(int elements) {
        return (elements + ChunkTypes.MAX_FANOUT - 1) / ChunkTypes.MAX_FANOUT;
    }
}
