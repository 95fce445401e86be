package dev.granary.cli.graph;

import dev.granary.cli.graph.VertexChunk.ListReference;
import dev.granary.serialization.Importable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * A package graph in a cluster, read chunk by chunk from its root. It keeps only the root in memory; each call asks the
 * cluster. Thread-safe.
 */
public final class StoredGraph {

    private static final int CHUNKS_PER_READ = 1 << 14;

    private final ChunkStore store;
    private final RootChunk root;
    private final LongAdder chunksRead = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();

    private StoredGraph(ChunkStore store, RootChunk root) {
        this.store = store;
        this.root = root;
        chunksRead.increment();
        bytesRead.add(root.sizeBytes());
    }

    /**
     * Opens the graph whose root has this CID.
     *
     * @throws dev.granary.serialization.MalformedDataException when the chunk is not the root of a graph
     * @throws MissingChunkException when there is no such chunk
     */
    public static StoredGraph open(ChunkStore store, long rootCid) {
        RootChunk root = new RootChunk();
        store.get(new long[] {rootCid}, List.of(root));
        return new StoredGraph(store, root);
    }

    /** Number of packages. */
    public int vertices() {
        return root.vertices();
    }

    /** The number of chunks read through this object, the root included. */
    public long chunksRead() {
        return chunksRead.sum();
    }

    /** The number of payload bytes in the chunks read. */
    public long bytesRead() {
        return bytesRead.sum();
    }

    RootChunk root() {
        return root;
    }

    /**
     * The CID of the package with this name. Reads two chunks.
     *
     * @throws UnknownPackageException when there is no such package
     */
    long find(String name) {
        int number = BucketChunk.bucketOf(name, root.buckets());
        long[] directories = {root.directories()[number / ChunkTypes.MAX_FANOUT]};
        DirectoryChunk directory = read(directories, DirectoryChunk::new).getFirst();
        long[] buckets = {directory.bucket(number % ChunkTypes.MAX_FANOUT)};
        for (BucketChunk.Entry entry :
                read(buckets, BucketChunk::new).getFirst().entries()) {
            if (entry.name().equals(name)) {
                return entry.cid();
            }
        }
        throw new UnknownPackageException(name, NearNames.of(name, names()));
    }

    /** All buckets, in the order of their numbers. */
    List<BucketChunk> buckets() {
        List<DirectoryChunk> directories = read(root.directories(), DirectoryChunk::new);
        long[] cids = new long[root.buckets()];
        for (int number = 0; number < cids.length; number++) {
            DirectoryChunk directory = directories.get(number / ChunkTypes.MAX_FANOUT);
            cids[number] = directory.bucket(number % ChunkTypes.MAX_FANOUT);
        }
        return read(cids, BucketChunk::new);
    }

    /** The CIDs of all vertices. */
    public long[] vertexCids() {
        return buckets().stream()
                .flatMap(bucket -> bucket.entries().stream())
                .mapToLong(BucketChunk.Entry::cid)
                .toArray();
    }

    /** The vertices with these CIDs, in this order. */
    List<VertexChunk> vertices(long[] cids) {
        return read(cids, VertexChunk::new);
    }

    /**
     * Reads the lists of many vertices for these kinds and one direction, one level of their trees at a time, and hands
     * every edge to the visitor. The edges of one list come in their order, the lists in no particular order.
     */
    void forEachEdge(List<VertexChunk> sources, Collection<EdgeKind> kinds, Direction direction, EdgeVisitor visitor) {
        List<Part> parts = new ArrayList<>();
        for (int source = 0; source < sources.size(); source++) {
            for (EdgeKind kind : kinds) {
                ListReference list = sources.get(source).list(kind, direction);
                if (list.degree() > 0) {
                    parts.add(new Part(source, kind, list.head()));
                }
            }
        }
        while (!parts.isEmpty()) {
            List<ListChunk> chunks = read(parts.stream().mapToLong(Part::cid).toArray(), ListChunk::new);
            List<Part> below = new ArrayList<>();
            for (int index = 0; index < chunks.size(); index++) {
                visit(chunks.get(index), parts.get(index), direction, visitor, below);
            }
            parts = below;
        }
    }

    /** Reads chunks in their order, in batches of bounded size. */
    <T extends Importable> List<T> read(long[] cids, Supplier<T> make) {
        List<T> objects = new ArrayList<>(cids.length);
        List<Importable> measured = new ArrayList<>(cids.length);
        // By index and not as a sum: a store that tries again reads an object twice.
        int[] sizes = new int[cids.length];
        for (int i = 0; i < cids.length; i++) {
            int index = i;
            T object = make.get();
            objects.add(object);
            measured.add(in -> {
                sizes[index] = Math.toIntExact(in.remainingBytes());
                object.importFrom(in);
            });
        }
        for (int from = 0; from < cids.length; from += CHUNKS_PER_READ) {
            int to = Math.min(from + CHUNKS_PER_READ, cids.length);
            store.get(Arrays.copyOfRange(cids, from, to), measured.subList(from, to));
        }
        chunksRead.add(cids.length);
        bytesRead.add(Arrays.stream(sizes).asLongStream().sum());
        return objects;
    }

    private static void visit(ListChunk chunk, Part part, Direction direction, EdgeVisitor visitor, List<Part> below) {
        if (!chunk.isPartOf(part.kind(), direction)) {
            throw new GraphMismatchException("chunk 0x%016x is not a part of the %s list (%s) that points to it"
                    .formatted(part.cid(), part.kind(), direction));
        }
        for (int index = 0; index < chunk.count(); index++) {
            if (chunk.isLeaf()) {
                visitor.edge(part.source(), part.kind(), chunk.cid(index), chunk.flags(index));
            } else {
                below.add(new Part(part.source(), part.kind(), chunk.cid(index)));
            }
        }
    }

    private List<String> names() {
        return buckets().stream()
                .flatMap(bucket -> bucket.entries().stream())
                .map(BucketChunk.Entry::name)
                .toList();
    }

    /** Takes edges. */
    @FunctionalInterface
    interface EdgeVisitor {

        /**
         * One edge.
         *
         * @param source index of the vertex among the requested ones
         * @param cid the vertex at the other end
         * @param flags bits of {@link EdgeFlags}
         */
        void edge(int source, EdgeKind kind, long cid, byte flags);
    }

    /** A chunk of a list that is not read yet. */
    private record Part(int source, EdgeKind kind, long cid) {}
}
