package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import dev.granary.serialization.MalformedDataException;
import java.util.ArrayList;
import java.util.List;

/**
 * The root of a graph. It is written last, so a graph with a root is complete.
 *
 * <pre>
 *  +------+-----------+--------+----------+---------------+---------------+-----------+
 *  | type | magic     | format | vertices | edges by kind | chunks in all | payload B |
 *  | 1 B  | 4 B       | 1 B    | compact  | 6 * 4 B       | 8 B           | 8 B       |
 *  +------+-----------+--------+----------+---------------+---------------+-----------+
 *  +----------+----------+---------+-------------+---------------------+
 *  | releases | each one | buckets | directories | CIDs of directories |
 *  | compact  | string   | compact | compact     | 8 B each            |
 *  +----------+----------+---------+-------------+---------------------+
 * </pre>
 *
 * <p>Mutable only by {@link #importFrom}; not thread-safe while that runs.
 */
final class RootChunk implements Exportable, Importable {

    private static final int MAGIC = 0x68_70_67_67; // "ggph" in the order of the bytes
    private static final byte FORMAT = 1;

    private int vertices;
    private int[] edges = new int[EdgeKind.count()];
    private long chunks;
    private long payloadBytes;
    private List<String> releases = List.of();
    private int buckets;
    private long[] directories = new long[0];

    /** An empty root, to import a chunk into. */
    RootChunk() {}

    /** The root over these directories. The caller calls {@link #setTotals} before it writes the root. */
    RootChunk(PackageGraph graph, int buckets, long[] directories) {
        this.vertices = graph.vertices();
        for (EdgeKind kind : EdgeKind.values()) {
            edges[kind.code()] = graph.lists(kind, Direction.OUTGOING).edges();
        }
        this.releases = graph.snapshot().releases();
        this.buckets = buckets;
        this.directories = directories;
    }

    /** Sets the totals of the whole graph, this chunk included. */
    void setTotals(long allChunks, long allPayloadBytes) {
        this.chunks = allChunks;
        this.payloadBytes = allPayloadBytes;
    }

    int vertices() {
        return vertices;
    }

    int edges(EdgeKind kind) {
        return edges[kind.code()];
    }

    long chunks() {
        return chunks;
    }

    long payloadBytes() {
        return payloadBytes;
    }

    List<String> releases() {
        return releases;
    }

    int buckets() {
        return buckets;
    }

    long[] directories() {
        return directories.clone();
    }

    @Override
    public int sizeBytes() {
        int bytes = 1 + Integer.BYTES + 1 + Exporter.compactSizeBytes(vertices) + edges.length * Integer.BYTES;
        bytes += 2 * Long.BYTES + Exporter.compactSizeBytes(releases.size());
        for (String release : releases) {
            bytes += Exporter.stringSizeBytes(release);
        }
        return bytes
                + Exporter.compactSizeBytes(buckets)
                + Exporter.compactSizeBytes(directories.length)
                + directories.length * Long.BYTES;
    }

    @Override
    public void exportTo(Exporter out) {
        out.writeByte(ChunkTypes.ROOT);
        out.writeInt(MAGIC);
        out.writeByte(FORMAT);
        out.writeCompact(vertices);
        out.writeInts(edges, 0, edges.length);
        out.writeLong(chunks);
        out.writeLong(payloadBytes);
        out.writeCompact(releases.size());
        for (String release : releases) {
            out.writeString(release);
        }
        out.writeCompact(buckets);
        out.writeCompact(directories.length);
        out.writeLongs(directories, 0, directories.length);
    }

    @Override
    public void importFrom(Importer in) {
        if (in.readByte() != ChunkTypes.ROOT || in.readInt() != MAGIC) {
            throw new MalformedDataException("this chunk is not the root of a package graph");
        }
        byte format = in.readByte();
        if (format != FORMAT) {
            throw new MalformedDataException(
                    "the graph has format " + format + ", this version reads format " + FORMAT + " only");
        }
        vertices = in.readCompact();
        edges = new int[EdgeKind.count()];
        in.readInts(edges, 0, edges.length);
        chunks = in.readLong();
        payloadBytes = in.readLong();
        int releaseCount = ChunkTypes.readCount(in, Integer.MAX_VALUE, 1);
        List<String> read = new ArrayList<>(releaseCount);
        for (int index = 0; index < releaseCount; index++) {
            read.add(in.readString());
        }
        releases = read;
        buckets = in.readCompact();
        directories = new long[ChunkTypes.readCount(in, ChunkTypes.MAX_FANOUT, Long.BYTES)];
        in.readLongs(directories, 0, directories.length);
        ChunkTypes.expectEnd(in);
        int expected = (buckets + ChunkTypes.MAX_FANOUT - 1) / ChunkTypes.MAX_FANOUT;
        if (Integer.bitCount(buckets) != 1 || directories.length != expected) {
            throw new MalformedDataException(buckets + " buckets in " + directories.length + " directories");
        }
    }
}
