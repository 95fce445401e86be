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

    /** The highest sequence of what was written here; tells how cold it is. */
    long youngestSequence() {
        return youngestSequence;
    }

    void wrote(long sequence) {
        youngestSequence = Math.max(youngestSequence, sequence);
    }

    /** What the cleaner put together: as cold as its youngest entry. */
    void setYoungest(long sequence) {
        youngestSequence = sequence;
    }

    /** What was noted while all of it was written; null if nothing was, or not any more. */
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

    /** An estimate of the bytes that a replay would tell, from the mean size of an entry here. */
    long liveBytes() {
        return entries == 0 ? 0 : (long) ((double) sizeBytes * liveEntries / entries);
    }
}
