package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import dev.granary.serialization.MalformedDataException;
import java.util.ArrayList;
import java.util.List;

/**
 * A package as a chunk: its fields and the CIDs of its adjacency lists.
 *
 * <pre>
 *  +------+---------+---------------+------+---------+---------+----------+--------+--------------------+
 *  | type | id      | installed KiB | name | version | section | priority | lists  | per list           |
 *  | 1 B  | compact | compact       | str. | string  | string  | string   | 1 B    |                    |
 *  +------+---------+---------------+------+---------+---------+----------+--------+--------------------+
 *  list:  +-------------------------+---------+----------+
 *         | kind * 2 + direction    | degree  | head CID |   in ascending order of the first byte,
 *         | 1 B                     | compact | 8 B      |   empty lists are left out
 *         +-------------------------+---------+----------+
 * </pre>
 *
 * <p>Mutable only by {@link #importFrom}; not thread-safe while that runs.
 */
final class VertexChunk implements Exportable, Importable {

    private static final int LISTS = 2 * EdgeKind.count();

    private int id;
    private int installedKiB;
    private String name = "";
    private String version = "";
    private String section = "";
    private String priority = "";
    private List<ListReference> lists = List.of();

    /** An empty vertex, to import a chunk into. */
    VertexChunk() {}

    VertexChunk(int id, PackageRecord record, List<ListReference> lists) {
        this.id = id;
        this.installedKiB = Math.toIntExact(record.installedKiB());
        this.name = record.name();
        this.version = record.version();
        this.section = record.section();
        this.priority = record.priority();
        this.lists = List.copyOf(lists);
    }

    int id() {
        return id;
    }

    String name() {
        return name;
    }

    String version() {
        return version;
    }

    String section() {
        return section;
    }

    List<ListReference> lists() {
        return lists;
    }

    /** The head and length of the list of this kind and direction; degree 0 and CID 0 when it is empty. */
    ListReference list(EdgeKind kind, Direction direction) {
        for (ListReference list : lists) {
            if (list.kind() == kind && list.direction() == direction) {
                return list;
            }
        }
        return new ListReference(kind, direction, 0, 0);
    }

    /** Whether the vertex has this id and the fields of this record. The lists are not compared. */
    boolean describes(int otherId, PackageRecord record) {
        return id == otherId
                && name.equals(record.name())
                && version.equals(record.version())
                && section.equals(record.section())
                && priority.equals(record.priority())
                && installedKiB == record.installedKiB();
    }

    @Override
    public int sizeBytes() {
        int bytes = 2
                + Exporter.compactSizeBytes(id)
                + Exporter.compactSizeBytes(installedKiB)
                + Exporter.stringSizeBytes(name)
                + Exporter.stringSizeBytes(version)
                + Exporter.stringSizeBytes(section)
                + Exporter.stringSizeBytes(priority);
        for (ListReference list : lists) {
            bytes += list.sizeBytes();
        }
        return bytes;
    }

    @Override
    public void exportTo(Exporter out) {
        out.writeByte(ChunkTypes.VERTEX);
        out.writeCompact(id);
        out.writeCompact(installedKiB);
        out.writeString(name);
        out.writeString(version);
        out.writeString(section);
        out.writeString(priority);
        out.writeByte(lists.size());
        for (ListReference list : lists) {
            out.writeObject(list);
        }
    }

    @Override
    public void importFrom(Importer in) {
        ChunkTypes.expect(ChunkTypes.VERTEX, in);
        id = in.readCompact();
        installedKiB = in.readCompact();
        name = in.readString();
        version = in.readString();
        section = in.readString();
        priority = in.readString();
        int count = in.readByte();
        if (count < 0 || count > LISTS) {
            throw new MalformedDataException("a vertex has up to " + LISTS + " lists, not " + count);
        }
        List<ListReference> read = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            read.add(ListReference.read(in));
        }
        lists = read;
        ChunkTypes.expectEnd(in);
    }

    /**
     * A reference to an adjacency list.
     *
     * @param degree number of edges
     * @param head CID of its leaf, or of the topmost branch when it has more than one leaf
     */
    record ListReference(EdgeKind kind, Direction direction, int degree, long head) implements Exportable {

        @Override
        public int sizeBytes() {
            return 1 + Exporter.compactSizeBytes(degree) + Long.BYTES;
        }

        @Override
        public void exportTo(Exporter out) {
            out.writeByte(ListChunk.code(kind, direction));
            out.writeCompact(degree);
            out.writeLong(head);
        }

        private static ListReference read(Importer in) {
            byte code = in.readByte();
            return new ListReference(
                    ListChunk.kindOf(code), ListChunk.directionOf(code), in.readCompact(), in.readLong());
        }
    }
}
