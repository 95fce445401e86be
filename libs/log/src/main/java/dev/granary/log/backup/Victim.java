package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.RecordView;
import java.io.IOException;
import java.util.BitSet;

/**
 * A segment that the cleaner is about to drop, and which of its entries must be written again.
 *
 * <p>Most victims are dead as a whole, or nearly so, because chunks are overwritten in turns, or all the time. A victim
 * that was written a short time ago has notes of its entries: it is not read if it is dead (ADR 0144), and otherwise
 * only those of its records are looked at that have live entries (ADR 0339).
 */
final class Victim {

    private final Disk disk;
    private final SpareArrays spares;
    private final ZoneLog zone;
    private final Segment segment;
    private final SegmentIndex index;
    private final RecordView record = new RecordView();
    private NotedEntries entries;
    private BitSet live = new BitSet();

    /** Has the segment's file at its beginning, once that was read. */
    private byte[] bytes = new byte[0];

    private int size;

    Victim(Disk disk, SpareArrays spares, ZoneLog zone, Segment segment, SegmentIndex index) {
        this.disk = disk;
        this.spares = spares;
        this.zone = zone;
        this.segment = segment;
        this.index = index;
        entries = NotedEntries.ofRead(index, segment);
    }

    /**
     * Finds the entries that the cleaner must write again. If the segment's notes say that there are none, the file is
     * not read.
     *
     * @return whether all of them could be read
     */
    boolean read() throws IOException {
        NotedEntries noted = segment.noted();
        if (noted != null && noted.isOf(index)) {
            entries = noted;
            live = noted.live();
            if (live.isEmpty()) {
                return true;
            }
            readFile();
            if (hasLiveRecords()) {
                return true;
            }
            entries = NotedEntries.ofRead(index, segment);
        } else {
            readFile();
        }
        SegmentWalk walk = new SegmentWalk(zone, segment, bytes, size);
        walk.run(new Noting(entries));
        live = entries.live();
        return !walk.isBroken();
    }

    private void readFile() throws IOException {
        int wanted = (int) segment.sizeBytes();
        bytes = wanted < SpareArrays.MIN_BYTES ? new byte[wanted] : spares.take(wanted);
        size = disk.read(segment.file(), bytes);
    }

    /** Gives back the memory that the segment was read into. */
    void release() {
        spares.give(bytes);
        bytes = new byte[0];
    }

    /** Notes what is read. */
    private record Noting(NotedEntries entries) implements SegmentWalk.Action {

        @Override
        public void record(RecordView record) {
            entries.record(record.begin());
        }

        @Override
        public void entry(BlockHeader block, EntryCursor entry) {
            entries.entry(entry);
        }

        @Override
        public void cut() {
            entries.cut();
        }
    }

    /** Returns whether each record with live entries is in the file and has the right checksum. */
    private boolean hasLiveRecords() {
        for (int r = 0; r < entries.records(); r++) {
            if (isLive(r) && !record.isIntactAt(bytes, entries.recordAt(r), size)) {
                return false;
            }
        }
        return true;
    }

    private boolean isLive(int ofRecord) {
        int next = live.nextSetBit(entries.firstEntry(ofRecord));
        return next >= 0 && next < entries.firstEntry(ofRecord + 1);
    }

    /** Takes the entries that are not written again out of the index. */
    void forgetDead() {
        entries.forgetAllBut(live);
    }

    void writeLive(CleanedSegments output) throws IOException {
        EntryCursor entry = new EntryCursor(bytes);
        for (int r = 0; r < entries.records(); r++) {
            if (isLive(r) && record.parse(bytes, entries.recordAt(r), size)) {
                entry.reset(record);
                for (int i = entries.firstEntry(r); i < entries.firstEntry(r + 1) && entry.next(); i++) {
                    if (live.get(i)) {
                        write(entry, i, output);
                    }
                }
            }
        }
    }

    private void write(EntryCursor entry, int number, CleanedSegments output) throws IOException {
        switch (entry.type()) {
            case BatchFormat.TYPE_REQUEST -> output.add(entry).countEntry();
            case BatchFormat.TYPE_TOKEN -> {
                if (index.isNewestToken(entry.cid(), entry.sequence())) {
                    index.moveToken(entry.cid(), entry.sequence(), output.add(entry));
                }
            }
            default -> {
                int slot = entries.slot(number);
                if (entry.type() == BatchFormat.TYPE_TOMBSTONE && index.isLastCopy(slot)) {
                    index.forget(slot);
                } else {
                    index.move(slot, output.add(entry));
                }
            }
        }
    }
}
