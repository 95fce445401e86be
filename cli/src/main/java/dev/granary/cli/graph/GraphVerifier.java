package dev.granary.cli.graph;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads every chunk of a stored graph and compares it with the snapshot: names and their vertices, the fields of each
 * package, every edge with its flags in both directions, and the totals.
 */
public final class GraphVerifier {

    private static final int VERTICES_PER_BATCH = 4096;
    private static final List<EdgeKind> KINDS = List.of(EdgeKind.values());

    private final StoredGraph stored;
    private final PackageGraph graph;
    private final ChunkProgress progress;
    private final long[] cids;
    private final Map<Long, Integer> idsByCid;
    private long reported;

    private GraphVerifier(StoredGraph stored, PackageGraph graph, ChunkProgress progress) {
        this.stored = stored;
        this.graph = graph;
        this.progress = progress;
        this.cids = new long[graph.vertices()];
        this.idsByCid = HashMap.newHashMap(graph.vertices());
    }

    /**
     * Verifies the whole graph.
     *
     * @param progress listens to the chunks read, {@link GraphLoader#chunks} in total
     * @return number of chunks read
     * @throws GraphMismatchException at the first difference
     * @throws MissingChunkException at the first chunk that is missing
     */
    public static long verify(ChunkStore store, long rootCid, PackageGraph graph, ChunkProgress progress) {
        StoredGraph stored = StoredGraph.open(store, rootCid);
        return new GraphVerifier(stored, graph, progress).verify();
    }

    private long verify() {
        RootChunk root = stored.root();
        expect("number of packages in the root", root.vertices(), graph.vertices());
        expect("releases in the root", root.releases(), graph.snapshot().releases());
        for (EdgeKind kind : KINDS) {
            int edges = graph.lists(kind, Direction.OUTGOING).edges();
            expect("number of edges '" + kind.verb() + "' in the root", root.edges(kind), edges);
        }
        verifyNames();
        report();
        for (int from = 0; from < cids.length; from += VERTICES_PER_BATCH) {
            verifyVertices(from, Math.min(from + VERTICES_PER_BATCH, cids.length));
            report();
        }
        long chunks = stored.chunksRead();
        expect("number of chunks in the root", root.chunks(), chunks);
        expect("number of chunks by the layout", GraphLoader.chunks(graph), chunks);
        expect("payload bytes in the root", root.payloadBytes(), stored.bytesRead());
        return chunks;
    }

    private void verifyNames() {
        List<BucketChunk> buckets = stored.buckets();
        for (int number = 0; number < buckets.size(); number++) {
            for (BucketChunk.Entry entry : buckets.get(number).entries()) {
                int id = graph.idOf(entry.name());
                if (id < 0) {
                    throw new GraphMismatchException("the name " + entry.name() + " is not in the snapshot");
                }
                expect("bucket of " + entry.name(), number, BucketChunk.bucketOf(entry.name(), buckets.size()));
                cids[id] = entry.cid();
                if (idsByCid.put(entry.cid(), id) != null) {
                    throw new GraphMismatchException("two names lead to chunk 0x%016x".formatted(entry.cid()));
                }
            }
        }
        expect("number of names", idsByCid.size(), graph.vertices());
    }

    private void verifyVertices(int from, int to) {
        List<VertexChunk> vertices = stored.vertices(Arrays.copyOfRange(cids, from, to));
        for (int index = 0; index < vertices.size(); index++) {
            VertexChunk vertex = vertices.get(index);
            if (!vertex.describes(from + index, graph.vertex(from + index))) {
                throw new GraphMismatchException("chunk 0x%016x says '%s %s' where the snapshot says '%s'"
                        .formatted(cids[from + index], vertex.name(), vertex.version(), graph.vertex(from + index)));
            }
        }
        for (Direction direction : Direction.values()) {
            verifyLists(from, vertices, direction);
        }
    }

    /** Walks stored lists and lists in memory side by side: next[kind][vertex] is the edge that must come next. */
    private void verifyLists(int first, List<VertexChunk> vertices, Direction direction) {
        int[][] next = new int[KINDS.size()][vertices.size()];
        for (EdgeKind kind : KINDS) {
            AdjacencyLists lists = graph.lists(kind, direction);
            for (int index = 0; index < vertices.size(); index++) {
                next[kind.code()][index] = lists.begin(first + index);
                int degree = vertices.get(index).list(kind, direction).degree();
                expectLength(first + index, kind, direction, degree);
            }
        }
        stored.forEachEdge(vertices, KINDS, direction, (source, kind, cid, flags) -> {
            AdjacencyLists lists = graph.lists(kind, direction);
            int edge = next[kind.code()][source]++;
            boolean same =
                    edge < lists.end(first + source) && cids[lists.target(edge)] == cid && lists.flags(edge) == flags;
            if (!same) {
                throw new GraphMismatchException("%s: an edge to chunk 0x%016x with flags %d is not the snapshot's"
                        .formatted(whose(first + source, kind, direction), cid, flags));
            }
        });
        for (EdgeKind kind : KINDS) {
            AdjacencyLists lists = graph.lists(kind, direction);
            for (int index = 0; index < vertices.size(); index++) {
                int length = next[kind.code()][index] - lists.begin(first + index);
                expectLength(first + index, kind, direction, length);
            }
        }
    }

    private void expectLength(int id, EdgeKind kind, Direction direction, int length) {
        int expected = graph.lists(kind, direction).degree(id);
        if (length != expected) {
            throw new GraphMismatchException("%s: it has %d edges, the snapshot says %d"
                    .formatted(whose(id, kind, direction), length, expected));
        }
    }

    private String whose(int id, EdgeKind kind, Direction direction) {
        return "list '" + kind.verb() + "' (" + direction + ") of "
                + graph.vertex(id).name();
    }

    /** Reports the chunks read since the last report. */
    private void report() {
        long read = stored.chunksRead();
        progress.advance(read - reported);
        reported = read;
    }

    private static void expect(String what, Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new GraphMismatchException("the " + what + " is " + found + ", the snapshot says " + expected);
        }
    }
}
