package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import dev.granary.serialization.MalformedDataException;

/**
 * A part of an adjacency list. A list of up to 128 edges is one leaf. A longer one is a tree: leaves of up to 128 edges
 * in their order, under branches of up to 128 children. So readers get the list of a hub in a few batches of small
 * chunks; a chain of parts would take one round trip for each part.
 *
 * <pre>
 *  leaf    +------+----------------------+---------+------------------+-----------------+
 *          | type | kind * 2 + direction | count   | CIDs of vertices | flags of edges  |
 *          | 1 B  | 1 B                  | compact | count * 8 B      | count * 1 B     |
 *          +------+----------------------+---------+------------------+-----------------+
 *  branch  +------+----------------------+---------+------------------------------------+
 *          | type | kind * 2 + direction | count   | CIDs of leaves or branches         |
 *          | 1 B  | 1 B                  | compact | count * 8 B                        |
 *          +------+----------------------+---------+------------------------------------+
 * </pre>
 *
 * <p>Mutable only by {@link #importFrom}; not thread-safe while that runs.
 */
final class ListChunk implements Exportable, Importable {

    private static final byte[] NO_FLAGS = new byte[0];

    private byte type = ChunkTypes.LEAF;
    private byte code;
    private long[] cids = new long[0];
    private byte[] flags = NO_FLAGS;

    /** An empty part, to import a chunk into. */
    ListChunk() {}

    private ListChunk(byte type, byte code, long[] cids, byte[] flags) {
        this.type = type;
        this.code = code;
        this.cids = cids;
        this.flags = flags;
    }

    /** A leaf with these edges; takes the arrays over. */
    static ListChunk leaf(EdgeKind kind, Direction direction, long[] vertexCids, byte[] edgeFlags) {
        return new ListChunk(ChunkTypes.LEAF, code(kind, direction), vertexCids, edgeFlags);
    }

    /** A branch over these children; takes the array over. */
    static ListChunk branch(EdgeKind kind, Direction direction, long[] children) {
        return new ListChunk(ChunkTypes.BRANCH, code(kind, direction), children, NO_FLAGS);
    }

    static byte code(EdgeKind kind, Direction direction) {
        return (byte) (kind.code() * 2 + direction.code());
    }

    static EdgeKind kindOf(byte code) {
        if (code < 0 || code >= 2 * EdgeKind.count()) {
            throw new MalformedDataException("there is no list of code " + code);
        }
        return EdgeKind.ofCode(code >> 1);
    }

    static Direction directionOf(byte code) {
        return Direction.ofCode(code & 1);
    }

    boolean isLeaf() {
        return type == ChunkTypes.LEAF;
    }

    /** Whether this is a part of a list of this kind and direction. */
    boolean isPartOf(EdgeKind kind, Direction direction) {
        return code == code(kind, direction);
    }

    int count() {
        return cids.length;
    }

    /** The CID of a leaf's neighbour or of a branch's child. */
    long cid(int index) {
        return cids[index];
    }

    /** The flags of an edge in a leaf, bits of {@link EdgeFlags}. */
    byte flags(int index) {
        return flags[index];
    }

    @Override
    public int sizeBytes() {
        return 2 + Exporter.compactSizeBytes(cids.length) + cids.length * Long.BYTES + flags.length;
    }

    @Override
    public void exportTo(Exporter out) {
        out.writeByte(type);
        out.writeByte(code);
        out.writeCompact(cids.length);
        out.writeLongs(cids, 0, cids.length);
        out.writeBytes(flags, 0, flags.length);
    }

    @Override
    public void importFrom(Importer in) {
        type = in.readByte();
        if (type != ChunkTypes.LEAF && type != ChunkTypes.BRANCH) {
            throw new MalformedDataException("a part of an adjacency list was expected, found a chunk of type " + type);
        }
        code = in.readByte();
        kindOf(code);
        int count = ChunkTypes.readCount(in, ChunkTypes.MAX_FANOUT, Long.BYTES);
        cids = new long[count];
        in.readLongs(cids, 0, count);
        flags = isLeaf() ? new byte[count] : NO_FLAGS;
        in.readBytes(flags, 0, flags.length);
        ChunkTypes.expectEnd(in);
    }
}
