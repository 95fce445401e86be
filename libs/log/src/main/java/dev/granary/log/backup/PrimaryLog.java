package dev.granary.log.backup;

import dev.granary.env.Confined;
import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.RecordView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * The log that takes small amounts of all zones, so that one sync covers thousands of zones. Its batches are pending in
 * memory as well until they are sorted into the segments of the zones; then an empty file replaces the log. Used by the
 * disk's thread only.
 */
final class PrimaryLog implements AutoCloseable {

    private final Confined confined = new Confined();
    private final Disk disk;
    private final ZoneTable table;
    private final BlockHeader block = new BlockHeader();
    private final RecordView record = new RecordView();
    private int ordinal;
    private String name;
    private Disk.AppendFile file;
    private long sizeBytes;
    private long syncedBytes;
    private long writtenBytes;
    private final Deque<String> old = new ArrayDeque<>();
    private byte[] buffer = new byte[1 << 16];
    private int filled;

    /** Goes on with the file that the zone table names. */
    PrimaryLog(Disk disk, ZoneTable table) throws IOException {
        this.disk = disk;
        this.table = table;
        ordinal = table.primary();
        name = name(ordinal);
        file = disk.openForAppend(name);
        sizeBytes = file.sizeBytes();
    }

    /** Hands this over to the disk's thread; until now the thread that opens the log has used it. */
    boolean handOver() {
        return confined.handOver();
    }

    static String name(int ordinal) {
        return String.format("primary-%08x.log", ordinal);
    }

    /** Makes an empty file the primary log; the zone table knows it when this returns. */
    static void create(Disk disk, ZoneTable table, int ordinal) throws IOException {
        disk.writeAtomically(name(ordinal), LogFileHeader.primary(ordinal).encode());
        table.primary(ordinal);
        table.sync();
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** Bytes written since the start. */
    long writtenBytes() {
        return writtenBytes;
    }

    /** Puts batches of a zone into the block buffer; {@link #write} writes it. */
    void add(ZoneLog zone, ZoneLog.Unflushed batches) {
        assert confined.here() : confined;
        byte[] bytes = batches.bytes().array();
        int from = batches.from();
        int to = batches.bytes().limit();
        if (from == to) {
            return;
        }
        block.firstSequence = Long.MAX_VALUE;
        block.lastSequence = 0;
        for (int at = from; at < to && record.parse(bytes, at, to); at = record.end()) {
            block.firstSequence = Math.min(block.firstSequence, record.sequence());
            block.lastSequence = Math.max(block.lastSequence, record.sequence());
        }
        ZoneState state = zone.state();
        block.zone = state.zone();
        block.generation = state.generation();
        block.cut = state.cut();
        block.payloadBytes = to - from;
        block.durableSequence = zone.durableSequence();
        block.syncedBytes = syncedBytes;
        block.offset = (int) (sizeBytes + filled);
        int needed = filled + BlockHeader.LENGTH + to - from;
        if (needed > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, needed));
        }
        block.write(buffer, filled);
        System.arraycopy(bytes, from, buffer, filled + BlockHeader.LENGTH, to - from);
        filled = needed;
    }

    /** Writes the blocks that were added. They are durable after the next {@link #sync}. */
    void write() throws IOException {
        assert confined.here() : confined;
        try {
            if (filled == 0) {
                return;
            }
            Appending.whole(file, sizeBytes, ByteBuffer.wrap(buffer, 0, filled));
            sizeBytes += filled;
            writtenBytes += filled;
        } finally {
            filled = 0;
        }
    }

    /** Forgets the blocks that were added. */
    void discard() {
        filled = 0;
    }

    void sync() throws IOException {
        assert confined.here() : confined;
        if (syncedBytes < sizeBytes) {
            file.sync();
            syncedBytes = sizeBytes;
        }
    }

    /**
     * Begins an empty file. Everything in the old one must be durable elsewhere.
     *
     * @throws DiskFullException when there is no room for the file, or for the zone table that names it: in the second
     *     case the new file is in use all the same, and the old one goes with {@link #deleteOld}
     */
    void restart() throws IOException {
        assert confined.here() : confined;
        int next = ordinal + 1;
        disk.writeAtomically(name(next), LogFileHeader.primary(next).encode());
        table.primary(next);
        // A process may find the table with this record from now on, synced or not: what comes next belongs into the
        // new file.
        file.close();
        old.add(name);
        ordinal = next;
        name = name(next);
        file = disk.openForAppend(name);
        sizeBytes = LogFileHeader.LENGTH;
        syncedBytes = sizeBytes;
        table.sync();
        deleteOld();
    }

    /** Deletes files that the zone table does not name any more. Called once the table is durable. */
    void deleteOld() throws IOException {
        for (String each = old.poll(); each != null; each = old.poll()) {
            disk.delete(each);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
