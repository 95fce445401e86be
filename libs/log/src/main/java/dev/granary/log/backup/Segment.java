package dev.granary.log.backup;

/**
 * A file of a zone's log. What it holds up to its size is readable; only the disk's thread changes it, under the zone's
 * monitor.
 */
final class Segment {

    private final String file;
    private final LogFileHeader header;
    private long sizeBytes;
    private long syncedBytes;

    Segment(String file, LogFileHeader header, long sizeBytes) {
        this.file = file;
        this.header = header;
        this.sizeBytes = sizeBytes;
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

    long sizeBytes() {
        return sizeBytes;
    }

    void grow(long bytes) {
        sizeBytes += bytes;
    }

    void shrinkTo(long bytes) {
        sizeBytes = bytes;
        syncedBytes = Math.min(syncedBytes, bytes);
    }

    long syncedBytes() {
        return syncedBytes;
    }

    void synced() {
        syncedBytes = sizeBytes;
    }
}
