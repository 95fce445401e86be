package dev.granary.log.backup;

import dev.granary.env.Confined;
import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.RecordView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/** The segments of all zones: writes pending batches into them, syncs and deletes them. The disk's thread only. */
final class SegmentStore implements AutoCloseable {

    private static final int MIN_SEGMENT_BYTES = 4 << 20;
    private static final int SEGMENTS_A_ZONE = 32;
    private static final long NOTED_BYTES = 8 << 20;
    private static final int NOTED_SEGMENTS = 64;

    private final Confined confined = new Confined();
    private final Disk disk;
    private final BackupLogOptions options;
    private final ZoneTable table;
    private final OpenFiles files;
    private final LinkedHashMap<Segment, ZoneLog> unsynced = new LinkedHashMap<>();

    /** The unsynced segments that the zone table does not know yet. */
    private final Set<Segment> created = new HashSet<>();

    /** Segments whose entries are noted, the oldest first. */
    private final ArrayDeque<Segment> noted = new ArrayDeque<>();

    private final RecordView record = new RecordView();
    private final BlockHeader block = new BlockHeader();
    private final byte[] blockHeader = new byte[BlockHeader.LENGTH];
    private long uses;

    /** A block on its way to a file, outside the heap: the JDK would copy another one there. */
    private ByteBuffer staging = ByteBuffer.allocateDirect(1 << 16);

    private final AtomicLong writtenBytes = new AtomicLong();

    SegmentStore(Disk disk, BackupLogOptions options, ZoneTable table) {
        this.disk = disk;
        this.options = options;
        this.table = table;
        files = new OpenFiles(disk);
    }

    /** Hands this over to the disk's thread; until now the thread that opens the log has used it. */
    boolean handOver() {
        return confined.handOver();
    }

    /** Bytes written into segments since the start. */
    long writtenBytes() {
        return writtenBytes.get();
    }

    /**
     * Moves all pending batches of a zone into its segments. They are durable after the next {@link #sync}.
     *
     * @param leftMemory gets after each piece how many of its bytes were in no file before; a disk that becomes full
     *     may
     *     take only the first pieces
     */
    void write(ZoneLog zone, IntConsumer leftMemory) throws IOException {
        assert confined.here() : confined;
        for (int left = zone.pendingBytes(); left > 0; left = zone.pendingBytes()) {
            Segment segment = tail(zone);
            long room = limitBytes(zone) - segment.sizeBytes() - BlockHeader.LENGTH;
            ByteBuffer batches = batchesOfBlock(zone, room);
            int payload = batches.remaining();
            int written = BlockHeader.LENGTH + payload;
            Appending.whole(files.get(segment.file()), segment.sizeBytes(), composeBlock(zone, segment, batches));
            writtenBytes.addAndGet(written);
            unsynced.put(segment, zone);
            // Before the batches leave memory: others may use their array then.
            index(zone, segment, batches);
            leftMemory.accept(zone.moved(segment, written, payload));
            zone.sorted(block.lastSequence);
            segment.wrote(block.lastSequence);
        }
    }

    /**
     * Makes everything that was written into segments durable, and notes the segments that were created since the last
     * time: what is noted and missing is damage.
     */
    void sync() throws IOException {
        assert confined.here() : confined;
        for (Map.Entry<Segment, ZoneLog> written : unsynced.entrySet()) {
            sync(written.getKey(), written.getValue());
        }
        unsynced.clear();
    }

    private void sync(Segment segment, ZoneLog zone) throws IOException {
        assert confined.here() : confined;
        files.get(segment.file()).sync();
        segment.synced();
        if (created.remove(segment)) {
            table.added(zone.state().zone(), segment.ordinal());
        }
    }

    /** Small zones have small segments, so that the cleaner can free a part of them. */
    int limitBytes(ZoneLog zone) {
        long wanted = Math.max(MIN_SEGMENT_BYTES, Long.highestOneBit(zone.usedBytes() / SEGMENTS_A_ZONE));
        return (int) Math.min(options.segmentBytes(), wanted);
    }

    /**
     * Makes the next {@link #sync} sync a segment that was found on the disk: a process may have died without a sync.
     *
     * @param noted whether the zone table knows it
     */
    void mayBeUnsynced(Segment segment, ZoneLog zone, boolean noted) {
        unsynced.put(segment, zone);
        if (!noted) {
            created.add(segment);
        }
    }

    /** Deletes segments that the zone table does not know any more. */
    void delete(List<Segment> segments) throws IOException {
        assert confined.here() : confined;
        for (Segment segment : segments) {
            unsynced.remove(segment);
            created.remove(segment);
            noted.remove(segment);
            files.close(segment.file());
        }
        disk.deleteAll(segments.stream().map(Segment::file).toList());
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    private Segment tail(ZoneLog zone) throws IOException {
        Segment last = zone.tail();
        if (last != null && last.sizeBytes() < limitBytes(zone)) {
            return last;
        }
        if (last != null && unsynced.containsKey(last)) {
            // Only the last segment may have a torn end.
            sync(last, zone);
            unsynced.remove(last);
            files.close(last.file());
        }
        ZoneState state = zone.state();
        int ordinal = zone.takeOrdinal();
        LogFileHeader header = new LogFileHeader(
                LogFileHeader.SEGMENT,
                state.header(),
                state.generation(),
                ordinal,
                state.cut(),
                zone.segmentSequence());
        String name = Segment.name(state.zone(), state.generation(), ordinal);
        Segment segment = new Segment(name, header, LogFileHeader.LENGTH);
        begin(segment);
        created.add(segment);
        unsynced.put(segment, zone);
        boolean first = zone.segments().isEmpty();
        zone.addSegment(segment);
        if (first && zone.state().filled()) {
            zone.setIndex(new SegmentIndex());
        }
        SegmentIndex index = zone.index();
        if (index != null) {
            index.addSegment(segment);
            segment.setNoted(NotedEntries.ofWritten(index, segment));
            noted.add(segment);
            keepNotesSmall();
        }
        return segment;
    }

    /** Creates the file of a segment, with its header, or leaves no file behind. */
    private void begin(Segment segment) throws IOException {
        try {
            Appending.whole(
                    files.get(segment.file()),
                    0,
                    ByteBuffer.wrap(segment.header().encode()));
        } catch (DiskFullException e) {
            files.close(segment.file());
            disk.delete(segment.file());
            throw e;
        }
    }

    /** Adds the batches of a block, which comes next in the segment, to the zone's index. */
    private void index(ZoneLog zone, Segment segment, ByteBuffer batches) {
        SegmentIndex index = zone.index();
        if (index == null) {
            return;
        }
        index.used(++uses);
        byte[] bytes = batches.array();
        int begin = batches.arrayOffset() + batches.position();
        int end = begin + batches.remaining();
        long inFile = segment.sizeBytes() + BlockHeader.LENGTH - begin;
        NotedEntries notes = segment.noted();
        if (notes != null && !notes.isOf(index)) {
            segment.setNoted(null);
            notes = null;
        }
        EntryCursor entry = new EntryCursor(bytes);
        for (int at = begin; at < end && record.parse(bytes, at, end); at = record.end()) {
            entry.reset(record);
            if (notes != null) {
                notes.record((int) (inFile + at));
            }
            index.addAll(segment, entry, notes);
        }
    }

    /**
     * Drops the oldest notes when there are too many. These segments have not died soon; they are read when they die.
     * Called when a segment begins, because the notes of one segment are small beside the limit.
     */
    private void keepNotesSmall() {
        long bytes = 0;
        for (Segment segment : noted) {
            NotedEntries notes = segment.noted();
            bytes += notes == null ? 0 : notes.sizeBytes();
        }
        while (noted.size() > NOTED_SEGMENTS || (bytes > NOTED_BYTES && noted.size() > 1)) {
            Segment oldest = noted.removeFirst();
            NotedEntries notes = oldest.noted();
            bytes -= notes == null ? 0 : notes.sizeBytes();
            oldest.setNoted(null);
        }
    }

    /** Returns as many pending batches as fit, one at least, and notes their sequences for the header. */
    private ByteBuffer batchesOfBlock(ZoneLog zone, long room) {
        ByteBuffer pending = zone.pending();
        byte[] bytes = pending.array();
        block.firstSequence = Long.MAX_VALUE;
        block.lastSequence = 0;
        int begin = pending.arrayOffset() + pending.position();
        int limit = begin + pending.remaining();
        int end = begin;
        while (end < limit && record.parse(bytes, end, limit) && (end == begin || record.end() - begin <= room)) {
            end = record.end();
            block.firstSequence = Math.min(block.firstSequence, record.sequence());
            block.lastSequence = Math.max(block.lastSequence, record.sequence());
        }
        return ByteBuffer.wrap(bytes, begin, end - begin);
    }

    /** Returns the block with these batches, between position and limit. */
    private ByteBuffer composeBlock(ZoneLog zone, Segment segment, ByteBuffer batches) {
        ZoneState state = zone.state();
        block.zone = state.zone();
        block.generation = state.generation();
        block.cut = state.cut();
        block.payloadBytes = batches.remaining();
        block.durableSequence = zone.durableSequence();
        block.syncedBytes = segment.syncedBytes();
        block.offset = (int) segment.sizeBytes();
        int size = BlockHeader.LENGTH + batches.remaining();
        if (staging.capacity() < size) {
            staging = ByteBuffer.allocateDirect(Math.max(2 * staging.capacity(), size));
        }
        block.write(blockHeader, 0);
        return staging.clear().put(blockHeader).put(batches.duplicate()).flip();
    }
}
