package dev.granary.log;

/**
 * What was found when a log was opened.
 *
 * @param snapshotSequence the last sequence that the snapshot covers, 0 without a snapshot
 * @param lastSequence the sequence of the last record, 0 when there has never been one
 * @param logFile the name of the file that is appended to
 * @param tornBytes bytes that were cut from its end, because their writing was interrupted before any sync; 0 for none
 */
public record RecoveryReport(long snapshotSequence, long lastSequence, String logFile, long tornBytes) {}
