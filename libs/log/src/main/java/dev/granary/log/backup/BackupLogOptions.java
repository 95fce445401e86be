package dev.granary.log.backup;

/**
 * Sizes and times of a log.
 *
 * @param flushNanos a {@link BackupLog#tick} writes what has waited for this long
 * @param flushBytes the write buffer is written without waiting once it has this many bytes
 * @param bufferBytes how many bytes the write buffer and the unsorted parts of the primary log may take; an append
 *     beyond that is refused with BUSY
 * @param directBytes a zone with at least this many pending bytes is written straight to its own log
 * @param primaryBytes the primary log is sorted and emptied when it has grown to this size
 * @param segmentBytes the size of the largest log segment
 * @param utilisationPercent the cleaner keeps the live share of a zone's log at this value or above
 * @param indexBytes how many bytes the cleaner's indexes may take in memory
 */
public record BackupLogOptions(
        long flushNanos,
        long flushBytes,
        long bufferBytes,
        int directBytes,
        long primaryBytes,
        int segmentBytes,
        int utilisationPercent,
        long indexBytes) {

    /** Checks the ranges. */
    public BackupLogOptions {
        if (flushNanos < 0 || flushBytes <= 0 || bufferBytes <= 0 || directBytes <= 0 || primaryBytes <= 0) {
            throw new IllegalArgumentException("sizes and times must be positive");
        }
        if (segmentBytes < 1024 || utilisationPercent < 10 || utilisationPercent > 95 || indexBytes < 0) {
            throw new IllegalArgumentException("segments have at least 1024 B, utilisation is 10 to 95 %: "
                    + segmentBytes + ", " + utilisationPercent);
        }
    }

    /** Returns the options that a storage peer uses. */
    public static BackupLogOptions defaults() {
        return new BackupLogOptions(10_000_000, 1 << 20, 16 << 20, 128 << 10, 64 << 20, 8 << 20, 80, 128 << 20);
    }

    /** Returns options with small files, so that tests have many of them. */
    public static BackupLogOptions small() {
        return new BackupLogOptions(10_000_000, 4 << 10, 256 << 10, 2 << 10, 16 << 10, 8 << 10, 80, 1 << 20);
    }

    /** Returns the same options with another share of live entries. */
    public BackupLogOptions withUtilisationPercent(int percent) {
        return new BackupLogOptions(
                flushNanos, flushBytes, bufferBytes, directBytes, primaryBytes, segmentBytes, percent, indexBytes);
    }

    /** Returns the same options with another size of the write buffer. */
    public BackupLogOptions withBufferBytes(long bytes) {
        return new BackupLogOptions(
                flushNanos, flushBytes, bytes, directBytes, primaryBytes, segmentBytes, utilisationPercent, indexBytes);
    }

    /** Returns the same options with other bounds for write buffer and indexes. */
    public BackupLogOptions withMemory(long maxBufferBytes, long maxIndexBytes) {
        return new BackupLogOptions(
                flushNanos,
                Math.min(flushBytes, maxBufferBytes),
                maxBufferBytes,
                directBytes,
                primaryBytes,
                segmentBytes,
                utilisationPercent,
                maxIndexBytes);
    }
}
