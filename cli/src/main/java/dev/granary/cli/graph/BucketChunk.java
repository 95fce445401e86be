package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The vertices whose names have the same hash, by name. The bucket of a name is the CRC-32C of its UTF-8 bytes modulo
 * the number of buckets, a power of two.
 *
 * <pre>
 *  +------+---------+-----------------------------+
 *  | type | count   | per vertex: name, CID       |   ordered by name
 *  | 1 B  | compact |             string, 8 B     |
 *  +------+---------+-----------------------------+
 * </pre>
 *
 * <p>Mutable only by {@link #importFrom}; not thread-safe while that runs.
 */
final class BucketChunk implements Exportable, Importable {

    private static final int LEAST_ENTRY_BYTES = 1 + Long.BYTES;

    private List<Entry> entries = List.of();

    /** An empty bucket, to import a chunk into. */
    BucketChunk() {}

    BucketChunk(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /** The number of the bucket that holds a name. */
    static int bucketOf(String name, int buckets) {
        CRC32C crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue() & (buckets - 1);
    }

    List<Entry> entries() {
        return entries;
    }

    @Override
    public int sizeBytes() {
        int bytes = 1 + Exporter.compactSizeBytes(entries.size());
        for (Entry entry : entries) {
            bytes += Exporter.stringSizeBytes(entry.name()) + Long.BYTES;
        }
        return bytes;
    }

    @Override
    public void exportTo(Exporter out) {
        out.writeByte(ChunkTypes.BUCKET);
        out.writeCompact(entries.size());
        for (Entry entry : entries) {
            out.writeString(entry.name());
            out.writeLong(entry.cid());
        }
    }

    @Override
    public void importFrom(Importer in) {
        ChunkTypes.expect(ChunkTypes.BUCKET, in);
        int count = ChunkTypes.readCount(in, Integer.MAX_VALUE, LEAST_ENTRY_BYTES);
        List<Entry> read = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            read.add(new Entry(in.readString(), in.readLong()));
        }
        entries = read;
        ChunkTypes.expectEnd(in);
    }

    /** A vertex: its name and CID. */
    record Entry(String name, long cid) {}
}
