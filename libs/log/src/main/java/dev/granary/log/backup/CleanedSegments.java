package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.EntryEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The log segments that the cleaner writes. The cleaner puts a segment together in memory and writes it as a whole, so
 * that it is never torn. A segment counts only once the zone table knows it.
 */
final class CleanedSegments {

    private static final int RECORD_BYTES = 32 << 10;

    private final Disk disk;
    private final ZoneLog zone;
    private final int limitBytes;
    private final SegmentIndex index;
    private final EntryEncoder encoder = new EntryEncoder(2 * RECORD_BYTES);
    private final List<Segment> written = new ArrayList<>();
    private final BlockHeader block = new BlockHeader();
    private byte[] content = new byte[1 << 16];
    private Segment current;
    private int length;
    private boolean inRecord;
    private long recordEpoch;
    private long recordSequence;

    CleanedSegments(Disk disk, ZoneLog zone, int limitBytes, SegmentIndex index) {
        this.disk = disk;
        this.zone = zone;
        this.limitBytes = limitBytes;
        this.index = index;
        current = begin();
    }

    /** Adds an entry, and returns the segment that it will be in. */
    Segment add(EntryCursor entry) throws IOException {
        boolean otherRecord = inRecord
                && (entry.epoch() != recordEpoch
                        || entry.sequence() < recordSequence
                        || encoder.entryBytes() >= RECORD_BYTES);
        if (otherRecord) {
            endRecord();
            if (length >= limitBytes) {
                write();
                current = begin();
            }
        }
        if (!inRecord) {
            inRecord = true;
            recordEpoch = entry.epoch();
            recordSequence = entry.sequence();
            encoder.start(zone.state().zone());
        }
        encoder.sequenceDelta(entry.sequence() - recordSequence);
        switch (entry.type()) {
            case BatchFormat.TYPE_CHUNK ->
                encoder.chunk(entry.cid(), entry.segment(), entry.contentAt(), entry.length());
            case BatchFormat.TYPE_TOMBSTONE -> encoder.tombstone(entry.cid());
            case BatchFormat.TYPE_REQUEST ->
                encoder.request(
                        entry.clientId(),
                        entry.requestSequence(),
                        entry.ackedSequence(),
                        entry.segment(),
                        entry.contentAt(),
                        entry.length());
            default -> encoder.token(entry.cid(), entry.token());
        }
        block.firstSequence = Math.min(block.firstSequence, entry.sequence());
        block.lastSequence = Math.max(block.lastSequence, entry.sequence());
        return current;
    }

    /** Returns the segments that are on the disk so far. */
    List<Segment> written() {
        return written;
    }

    /** Writes the last segment, or takes it out of the index if nothing is in it. */
    void finish() throws IOException {
        endRecord();
        if (length > LogFileHeader.LENGTH + BlockHeader.LENGTH) {
            write();
        } else {
            index.removeSegment(current);
        }
    }

    private Segment begin() {
        ZoneState state = zone.state();
        int ordinal = zone.takeOrdinal();
        LogFileHeader header = new LogFileHeader(
                LogFileHeader.CLEANED,
                state.header(),
                state.generation(),
                ordinal,
                state.cut(),
                zone.segmentSequence());
        length = LogFileHeader.LENGTH + BlockHeader.LENGTH;
        block.firstSequence = Long.MAX_VALUE;
        block.lastSequence = 0;
        Segment begun = new Segment(Segment.name(state.zone(), state.generation(), ordinal), header, 0);
        index.addSegment(begun);
        return begun;
    }

    private void endRecord() {
        if (!inRecord) {
            return;
        }
        inRecord = false;
        int begin = encoder.finish(BatchFormat.KIND_CLEANED, recordEpoch, recordSequence);
        int bytes = encoder.endOffset() - begin;
        if (length + bytes > content.length) {
            content = Arrays.copyOf(content, Math.max(2 * content.length, length + bytes));
        }
        System.arraycopy(encoder.array(), begin, content, length, bytes);
        length += bytes;
    }

    private void write() throws IOException {
        ZoneState state = zone.state();
        block.zone = state.zone();
        block.generation = state.generation();
        block.cut = state.cut();
        block.payloadBytes = length - LogFileHeader.LENGTH - BlockHeader.LENGTH;
        block.durableSequence = block.lastSequence;
        block.syncedBytes = length;
        block.offset = LogFileHeader.LENGTH;
        byte[] whole = Arrays.copyOf(content, length);
        System.arraycopy(current.header().encode(), 0, whole, 0, LogFileHeader.LENGTH);
        block.write(whole, LogFileHeader.LENGTH);
        disk.writeAtomically(current.file(), whole);
        current.resize(length);
        current.synced();
        current.setYoungest(block.lastSequence);
        written.add(current);
    }
}
