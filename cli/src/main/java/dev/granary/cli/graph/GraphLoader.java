package dev.granary.cli.graph;

import dev.granary.cli.graph.VertexChunk.ListReference;
import dev.granary.serialization.Exportable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Writes a package graph as chunks (docs/formats/debian-graph.md).
 *
 * <p>Vertices go to the storage peers in turn, by id; a vertex and its lists lie on one peer. Vertices point to lists
 * and lists to vertices. So the loader first creates vertices of their final sizes, which do not depend on CIDs, and
 * fills them when their lists exist. The root comes last. When anything fails, the loader deletes the chunks made so
 * far.
 */
public final class GraphLoader {

    private static final int VERTICES_PER_BATCH = 2048;
    private static final int NAMES_PER_BUCKET = 16;
    private static final int MAX_BUCKETS = ChunkTypes.MAX_FANOUT * ChunkTypes.MAX_FANOUT;

    private final ChunkStore store;
    private final ChunkProgress progress;
    private final PackageGraph graph;
    private final int[] peers;
    private final CreatedChunks created = new CreatedChunks();
    private final long[] vertexCids;
    private final long[][] heads;

    private GraphLoader(ChunkStore store, PackageGraph graph, ChunkProgress progress) {
        this.store = store;
        this.graph = graph;
        this.progress = progress;
        this.peers = store.storagePeers();
        this.vertexCids = new long[graph.vertices()];
        this.heads = new long[2 * EdgeKind.count()][graph.vertices()];
    }

    /** The number of chunks of the graph. */
    public static long chunks(PackageGraph graph) {
        long chunks = 1L + graph.vertices();
        for (EdgeKind kind : EdgeKind.values()) {
            for (Direction direction : Direction.values()) {
                AdjacencyLists lists = graph.lists(kind, direction);
                for (int id = 0; id < graph.vertices(); id++) {
                    chunks += ListTree.chunks(lists.degree(id));
                }
            }
        }
        int buckets = buckets(graph.vertices());
        return chunks + buckets + (buckets + ChunkTypes.MAX_FANOUT - 1) / ChunkTypes.MAX_FANOUT;
    }

    /**
     * Writes the graph.
     *
     * @param progress listens to the chunks created, {@link #chunks} in total
     */
    public static LoadedGraph load(ChunkStore store, PackageGraph graph, ChunkProgress progress) {
        GraphLoader loader = new GraphLoader(store, graph, progress);
        try {
            return loader.load();
        } catch (RuntimeException e) {
            loader.removeWhatWasCreated(e);
            throw e;
        }
    }

    private LoadedGraph load() {
        ParallelWork.run(peers.length, this::reserveVertices);
        ParallelWork.run(peers.length, this::writeListsAndVertices);
        long[] bucketCids = writeBuckets();
        RootChunk root = new RootChunk(graph, bucketCids.length, writeDirectories(bucketCids));
        root.setTotals(created.count() + 1, created.payloadBytes() + root.sizeBytes());
        long rootCid = create(peers[0], List.of(root))[0];
        return new LoadedGraph(rootCid, created.count(), created.payloadBytes());
    }

    private void reserveVertices(int peer) {
        for (int[] ids : batches(peer)) {
            int[] sizes = Arrays.stream(ids).map(id -> vertex(id).sizeBytes()).toArray();
            long[] cids = store.create(peers[peer], sizes);
            created.add(cids, Arrays.stream(sizes).asLongStream().sum());
            for (int index = 0; index < ids.length; index++) {
                vertexCids[ids[index]] = cids[index];
            }
            progress.advance(ids.length);
        }
    }

    private void writeListsAndVertices(int peer) {
        for (int[] ids : batches(peer)) {
            writeLists(peer, ids);
            long[] cids = Arrays.stream(ids).mapToLong(id -> vertexCids[id]).toArray();
            store.put(cids, Arrays.stream(ids).mapToObj(this::vertex).toList());
        }
    }

    /** Creates all lists of these vertices on one peer, one level of the trees at a time, and notes their heads. */
    private void writeLists(int peer, int[] ids) {
        List<PendingList> pending = new ArrayList<>();
        for (int id : ids) {
            for (EdgeKind kind : EdgeKind.values()) {
                for (Direction direction : Direction.values()) {
                    AdjacencyLists lists = graph.lists(kind, direction);
                    if (lists.degree(id) > 0) {
                        List<ListChunk> leaves = ListTree.leaves(kind, direction, lists, id, vertexCids);
                        pending.add(new PendingList(id, kind, direction, leaves));
                    }
                }
            }
        }
        while (!pending.isEmpty()) {
            List<ListChunk> level =
                    pending.stream().flatMap(list -> list.level().stream()).toList();
            long[] cids = create(peers[peer], level);
            List<PendingList> next = new ArrayList<>();
            int from = 0;
            for (PendingList list : pending) {
                int to = from + list.level().size();
                if (to - from == 1) {
                    heads[ListChunk.code(list.kind(), list.direction())][list.vertex()] = cids[from];
                } else {
                    next.add(list.above(Arrays.copyOfRange(cids, from, to)));
                }
                from = to;
            }
            pending = next;
        }
    }

    private long[] writeBuckets() {
        int buckets = buckets(graph.vertices());
        List<List<BucketChunk.Entry>> entries = new ArrayList<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            entries.add(new ArrayList<>());
        }
        for (int id = 0; id < graph.vertices(); id++) {
            String name = graph.vertex(id).name();
            entries.get(BucketChunk.bucketOf(name, buckets)).add(new BucketChunk.Entry(name, vertexCids[id]));
        }
        long[] bucketCids = new long[buckets];
        ParallelWork.run(peers.length, peer -> {
            List<BucketChunk> mine = new ArrayList<>();
            for (int bucket = peer; bucket < buckets; bucket += peers.length) {
                entries.get(bucket).sort(Comparator.comparing(BucketChunk.Entry::name));
                mine.add(new BucketChunk(entries.get(bucket)));
            }
            long[] cids = create(peers[peer], mine);
            for (int index = 0; index < cids.length; index++) {
                bucketCids[peer + index * peers.length] = cids[index];
            }
        });
        return bucketCids;
    }

    private long[] writeDirectories(long[] bucketCids) {
        List<DirectoryChunk> directories = new ArrayList<>();
        for (int from = 0; from < bucketCids.length; from += ChunkTypes.MAX_FANOUT) {
            int to = Math.min(from + ChunkTypes.MAX_FANOUT, bucketCids.length);
            directories.add(new DirectoryChunk(Arrays.copyOfRange(bucketCids, from, to)));
        }
        return create(peers[0], directories);
    }

    private long[] create(int nid, List<? extends Exportable> objects) {
        long[] cids = store.create(nid, objects);
        created.add(cids, objects.stream().mapToLong(Exportable::sizeBytes).sum());
        progress.advance(cids.length);
        return cids;
    }

    /** The vertex with the heads known so far; its size is final from the start. */
    private VertexChunk vertex(int id) {
        List<ListReference> lists = new ArrayList<>();
        for (EdgeKind kind : EdgeKind.values()) {
            for (Direction direction : Direction.values()) {
                int degree = graph.lists(kind, direction).degree(id);
                if (degree > 0) {
                    long head = heads[ListChunk.code(kind, direction)][id];
                    lists.add(new ListReference(kind, direction, degree, head));
                }
            }
        }
        return new VertexChunk(id, graph.vertex(id), lists);
    }

    /** The ids of the vertices on one peer, in batches. */
    private List<int[]> batches(int peer) {
        List<int[]> batches = new ArrayList<>();
        int step = peers.length * VERTICES_PER_BATCH;
        for (int from = peer; from < graph.vertices(); from += step) {
            int left = (graph.vertices() - from + peers.length - 1) / peers.length;
            int[] ids = new int[Math.min(left, VERTICES_PER_BATCH)];
            for (int index = 0; index < ids.length; index++) {
                ids[index] = from + index * peers.length;
            }
            batches.add(ids);
        }
        return batches;
    }

    private void removeWhatWasCreated(RuntimeException cause) {
        try {
            store.delete(created.cids());
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private static int buckets(int vertices) {
        int wanted = Math.max(1, vertices / NAMES_PER_BUCKET);
        return Math.min(MAX_BUCKETS, Integer.highestOneBit(wanted));
    }

    /**
     * A graph in the cluster.
     *
     * @param root CID of its root, from which readers find all other chunks
     * @param chunks number of its chunks
     * @param payloadBytes bytes in them
     */
    public record LoadedGraph(long root, long chunks, long payloadBytes) {}

    /** A list and the level of its tree that is created next. */
    private record PendingList(int vertex, EdgeKind kind, Direction direction, List<ListChunk> level) {

        PendingList above(long[] children) {
            return new PendingList(vertex, kind, direction, ListTree.branches(kind, direction, children));
        }
    }
}
