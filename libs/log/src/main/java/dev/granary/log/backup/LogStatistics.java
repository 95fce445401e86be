package dev.granary.log.backup;

/**
 * Figures of a log since it was opened.
 *
 * @param zones open now
 * @param liveBytes an estimate of what replays would tell now
 * @param usedBytes on the disk now
 * @param pendingBytes in memory and not yet sorted into the logs of the zones now
 * @param unflushedBytes of these those that are in no file now
 * @param indexBytes what the cleaner's indexes take in memory now
 * @param appendedBatches taken
 * @param appendedBytes taken
 * @param primaryBytes written to the primary log
 * @param secondaryBytes sorted into the logs of the zones
 * @param cleanedBytes written again by the cleaner
 * @param cleanedSegments freed by the cleaner
 * @param syncs group syncs of the log
 * @param syncNanos that they took
 * @param damages found
 * @param full whether the disk is full now
 * @param failed whether the disk failed, so that nothing is taken any more
 */
public record LogStatistics(
        int zones,
        long liveBytes,
        long usedBytes,
        long pendingBytes,
        long unflushedBytes,
        long indexBytes,
        long appendedBatches,
        long appendedBytes,
        long primaryBytes,
        long secondaryBytes,
        long cleanedBytes,
        long cleanedSegments,
        long syncs,
        long syncNanos,
        long damages,
        boolean full,
        boolean failed) {}
