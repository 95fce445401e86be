package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;

/**
 * The CIDs of up to 128 consecutive buckets of names.
 *
 * <pre>
 *  +------+---------+-----------------+
 *  | type | count   | CIDs of buckets |
 *  | 1 B  | compact | count * 8 B     |
 *  +------+---------+-----------------+
 * </pre>
 *
 * <p>Mutable only by {@link #importFrom}; not thread-safe while that runs.
 */
final class DirectoryChunk implements Exportable, Importable {

    private long[] buckets = new long[0];

    /** An empty directory, to import a chunk into. */
    DirectoryChunk() {}

    /** Takes ownership of the array. */
    DirectoryChunk(long[] buckets) {
        this.buckets = buckets;
    }

    int count() {
        return buckets.length;
    }

    long bucket(int index) {
        return buckets[index];
    }

    @Override
    public int sizeBytes() {
        return 1 + Exporter.compactSizeBytes(buckets.length) + buckets.length * Long.BYTES;
    }

    @Override
    public void exportTo(Exporter out) {
        out.writeByte(ChunkTypes.DIRECTORY);
        out.writeCompact(buckets.length);
        out.writeLongs(buckets, 0, buckets.length);
    }

    @Override
    public void importFrom(Importer in) {
        ChunkTypes.expect(ChunkTypes.DIRECTORY, in);
        buckets = new long[ChunkTypes.readCount(in, ChunkTypes.MAX_FANOUT, Long.BYTES)];
        in.readLongs(buckets, 0, buckets.length);
        ChunkTypes.expectEnd(in);
    }
}
