package dev.granary.log.backup;

import dev.granary.env.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The segments of all zones: writes pending batches into them, syncs and deletes them. The disk's thread only. */
final class SegmentStore implements AutoCloseable {

    private final Disk disk;
    private final BackupLogOptions options;
    private final ZoneTable table;
    private final OpenFiles files;
    private final LinkedHashMap<Segment, ZoneLog> unsynced = new LinkedHashMap<>();
    private final RecordView record = new RecordView();
    private final BlockHeader block = new BlockHeader();
    private byte[] scratch = new byte[1 << 16];
    private final AtomicLong writtenBytes = new AtomicLong();

    SegmentStore(Disk disk, BackupLogOptions options, ZoneTable table) {
        this.disk = disk;
        this.options = options;
        this.table = table;
        files = new OpenFiles(disk);
    }

    /** Bytes written into segments since the start. */
    long writtenBytes() {
        return writtenBytes.get();
    }

    /** Moves all pending batches of a zone into its segments. They are durable after the next {@link #sync}. */
    void write(ZoneLog zone) throws IOException {
        for (int left = zone.pendingBytes(); left > 0; left = zone.pendingBytes()) {
            Segment segment = tail(zone);
            long room = options.segmentBytes() - segment.sizeBytes() - BlockHeader.LENGTH;
            int payload = composeBlock(zone, segment, room);
            files.get(segment.file()).append(ByteBuffer.wrap(scratch, 0, BlockHeader.LENGTH + payload));
            writtenBytes.addAndGet(BlockHeader.LENGTH + payload);
            unsynced.put(segment, zone);
            zone.moved(segment, BlockHeader.LENGTH + payload, payload);
            zone.written(block.lastSequence);
        }
    }

    /** Makes everything that was written durable. */
    void sync() throws IOException {
        for (Map.Entry<Segment, ZoneLog> entry : unsynced.entrySet()) {
            Segment segment = entry.getKey();
            files.get(segment.file()).sync();
            segment.synced();
        }
        unsynced.values().forEach(ZoneLog::durable);
        unsynced.clear();
    }

    /** Has a segment that was found on the disk synced by the next {@link #sync}: a process may have died without. */
    void mayBeUnsynced(Segment segment, ZoneLog zone) {
        unsynced.put(segment, zone);
    }

    /** Deletes all files of a zone that the zone table does not know any more. */
    void delete(ZoneLog zone) throws IOException {
        for (Segment segment : zone.segments()) {
            unsynced.remove(segment);
            files.close(segment.file());
            disk.delete(segment.file());
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    private Segment tail(ZoneLog zone) throws IOException {
        Segment last = zone.tail();
        if (last != null && last.sizeBytes() < options.segmentBytes()) {
            return last;
        }
        if (last != null && unsynced.remove(last) != null) {
            // Only the last segment may have a torn end.
            files.get(last.file()).sync();
            last.synced();
            zone.durable();
            files.close(last.file());
        }
        ZoneState state = zone.state();
        int ordinal = zone.nextOrdinal();
        LogFileHeader header = new LogFileHeader(
                LogFileHeader.SEGMENT,
                state.header(),
                state.generation(),
                ordinal,
                state.cut(),
                zone.writtenSequence());
        String name = Segment.name(state.zone(), state.generation(), ordinal);
        disk.writeAtomically(name, header.encode());
        // Noted after the file is there: what is noted and missing is damage.
        table.added(state.zone(), ordinal);
        Segment segment = new Segment(name, header, LogFileHeader.LENGTH);
        segment.synced();
        zone.addSegment(segment);
        return segment;
    }

    /** Copies as many pending batches as fit, one at least, behind a header. */
    private int composeBlock(ZoneLog zone, Segment segment, long room) {
        ZoneState state = zone.state();
        byte[] bytes;
        int length;
        synchronized (zone) {
            bytes = zone.pending().array();
            length = zone.pending().length();
        }
        block.firstSequence = Long.MAX_VALUE;
        block.lastSequence = 0;
        int end = 0;
        while (end < length && record.parse(bytes, end, length) && (end == 0 || record.end() <= room)) {
            end = record.end();
            block.firstSequence = Math.min(block.firstSequence, record.sequence());
            block.lastSequence = Math.max(block.lastSequence, record.sequence());
        }
        block.zone = state.zone();
        block.generation = state.generation();
        block.cut = state.cut();
        block.payloadBytes = end;
        block.durableSequence = zone.durableSequence();
        block.syncedBytes = segment.syncedBytes();
        block.offset = (int) segment.sizeBytes();
        if (scratch.length < BlockHeader.LENGTH + end) {
            scratch = new byte[Math.max(2 * scratch.length, BlockHeader.LENGTH + end)];
        }
        block.write(scratch, 0);
        System.arraycopy(bytes, 0, scratch, BlockHeader.LENGTH, end);
        return end;
    }
}
