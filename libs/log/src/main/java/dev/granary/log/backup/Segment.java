package dev.granary.log.backup;

import org.jspecify.annotations.Nullable;

/**
 * A file of a zone's log. What it holds up to its size is readable; only the disk's thread changes it, under the zone's
 * monitor where others read it. The counts of entries are the cleaner's, and the disk's thread's alone.
 */
final class Segment {

    private final String file;
    private final LogFileHeader header;
    private volatile long sizeBytes;
    private long syncedBytes;
    private long entries;
    private long liveEntries;
    private long youngestSequence;
    private @Nullable NotedEntries noted;
    private int number = -1;

    Segment(String file, LogFileHeader header, long sizeBytes) {
        this.file = file;
        this.header = header;
        this.sizeBytes = sizeBytes;
        youngestSequence = header.lastSequence();
    }

    static String name(int zone, int generation, int ordinal) {
        return String.format("zone-%08x-%08x-%08x.seg", zone, generation, ordinal);
    }

    String file() {
        return file;
    }

    LogFileHeader header() {
        return header;
    }

    int ordinal() {
        return header.ordinal();
    }

    boolean isCleaned() {
        return header.kind() == LogFileHeader.CLEANED;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    void resize(long bytes) {
        sizeBytes = bytes;
        syncedBytes = Math.min(syncedBytes, bytes);
    }

    long syncedBytes() {
        return syncedBytes;
    }

    void synced() {
        syncedBytes = sizeBytes;
    }

    /** Returns the number that the segment has in the index of its zone, -1 before it gets one. */
    int number() {
        return number;
    }

    void setNumber(int inIndex) {
        number = inIndex;
    }

    /** Returns the highest sequence that was written here; it tells how cold the segment is. */
    long youngestSequence() {
        return youngestSequence;
    }

    void wrote(long sequence) {
        youngestSequence = Math.max(youngestSequence, sequence);
    }

    /** Sets the highest sequence of a segment of the cleaner, which is as cold as its youngest entry. */
    void setYoungest(long sequence) {
        youngestSequence = sequence;
    }

    /** Returns the notes that were made while the segment was written; null if there are none, or none any more. */
    @Nullable
    NotedEntries noted() {
        return noted;
    }

    void setNoted(@Nullable NotedEntries entries) {
        noted = entries;
    }

    /** Sets the counts of entries to 0, before the index is rebuilt. */
    void resetCounts() {
        entries = 0;
        liveEntries = 0;
    }

    void countEntry() {
        entries++;
    }

    void countLive(int more) {
        liveEntries += more;
    }

    /** Returns an estimate of the live bytes, from the mean size of an entry here. */
    long liveBytes() {
        return entries == 0 ? 0 : (long) ((double) sizeBytes * liveEntries / entries);
    }
}
