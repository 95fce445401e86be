package dev.granary.log;

import dev.granary.env.Disk;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command log on one disk: one file of checksummed records behind the latest snapshot. Format: {@code
 * docs/formats/command-log.md}; decisions: ADR 0023.
 *
 * <p>Invariants on the disk, between operations:
 *
 * <ol>
 *   <li>If a snapshot covers sequence n, or n is 0 and there is none, the log file that starts with n + 1 exists, or
 *       one that starts earlier and whose records the snapshot covers (a compaction was interrupted).
 *   <li>Sequences in a file rise by one.
 *   <li>Records that were synced are never cut; bytes that are cut were never synced.
 * </ol>
 *
 * <p>The file is read as a whole when the log is opened, so it should be compacted before it grows beyond some hundred
 * megabytes. One thread at a time.
 */
public final class RecordLog implements CommandLog {

    private final Disk disk;
    private final String name;
    private final RecoveryReport report;
    private Disk.AppendFile file;
    private String fileName;
    private long fileFirstSequence;
    private long lastSequence;
    private long syncedSequence;
    private long fileBytes;

    /** What the opening found, until it is replayed. */
    private @Nullable Recovered recovered;

    private @Nullable Throwable failure;

    /** A snapshot, which may be missing, and the commands after it. */
    private static final class Recovered {
        private final long snapshotSequence;
        private final byte @Nullable [] snapshot;
        private final List<byte[]> commands;

        Recovered(long snapshotSequence, byte @Nullable [] snapshot, List<byte[]> commands) {
            this.snapshotSequence = snapshotSequence;
            this.snapshot = snapshot;
            this.commands = commands;
        }
    }

    private RecordLog(Disk disk, String name, Recovered recovered, Disk.AppendFile file, RecoveryReport report) {
        this.disk = disk;
        this.name = name;
        this.recovered = recovered;
        this.file = file;
        this.report = report;
        fileName = report.logFile();
        fileFirstSequence = recovered.snapshotSequence + 1;
        lastSequence = report.lastSequence();
        syncedSequence = lastSequence;
        fileBytes = fileBytesOf(recovered.commands);
    }

    private static long fileBytesOf(List<byte[]> commands) {
        long bytes = FileHeader.LENGTH;
        for (byte[] command : commands) {
            bytes += RecordHeader.LENGTH + command.length;
        }
        return bytes;
    }

    /**
     * Opens a log; it is created when there is none. A torn tail is cut, which {@link #report} tells.
     *
     * @param name of the log, and the beginning of its files' names
     * @throws LogDamagedException when something is missing or changed that was once durable; nothing is written then
     * @throws IOException when the disk fails
     */
    public static RecordLog open(Disk disk, String name) throws IOException {
        finishDeletion(disk, name);
        LogFiles files = LogFiles.list(disk, name);
        long snapshotSequence =
                files.snapshots().isEmpty() ? 0 : files.snapshots().last();
        byte[] snapshot = null;
        if (!files.snapshots().isEmpty()) {
            String snapshotFile = files.snapshotFile(snapshotSequence);
            snapshot = SnapshotFile.decode(snapshotFile, disk.read(snapshotFile), snapshotSequence);
        }
        long firstSequence = snapshotSequence + 1;
        String logFile = files.logFile(firstSequence);
        if (!files.logs().isEmpty() && files.logs().last() > firstSequence) {
            throw new LogDamagedException(
                    files.logFile(files.logs().last()), 0, "the snapshot that it follows is missing");
        }
        if (!files.logs().contains(firstSequence)) {
            requireInterruptedCompaction(files, snapshot, firstSequence);
            disk.writeAtomically(logFile, FileHeader.encode(firstSequence));
        }
        byte[] content = disk.read(logFile);
        RecordScanner.Scan scan = new RecordScanner(logFile, content).scan(firstSequence);
        Disk.AppendFile file = disk.openForAppend(logFile);
        try {
            int tornBytes = content.length - scan.endOffset();
            if (tornBytes > 0) {
                LogProbe.RECORD_LOG_TAIL_CUT.hit();
                file.truncate(scan.endOffset());
            }
            // A process that died without a sync leaves records that only the kernel knows. They are about to be
            // applied.
            file.sync();
            deleteOld(disk, files, firstSequence);
            long lastSequence = snapshotSequence + scan.payloads().size();
            RecoveryReport report = new RecoveryReport(snapshotSequence, lastSequence, logFile, tornBytes);
            return new RecordLog(disk, name, new Recovered(snapshotSequence, snapshot, scan.payloads()), file, report);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Deletes a log that is not open, for ever: a crash in the middle leaves it whole,
     * or gone at the next opening. Does nothing when there is none.
     */
    public static void delete(Disk disk, String name) throws IOException {
        disk.writeAtomically(LogFiles.deletionMark(name), new byte[0]);
        finishDeletion(disk, name);
    }

    private static void finishDeletion(Disk disk, String name) throws IOException {
        String mark = LogFiles.deletionMark(name);
        if (!disk.exists(mark)) {
            return;
        }
        LogFiles files = LogFiles.list(disk, name);
        for (long log : files.logs()) {
            disk.delete(files.logFile(log));
        }
        for (long snapshot : files.snapshots()) {
            disk.delete(files.snapshotFile(snapshot));
        }
        disk.delete(mark);
    }

    /** A log file may be missing only if it was never there, or if the snapshot was about to replace an older one. */
    private static void requireInterruptedCompaction(LogFiles files, byte @Nullable [] snapshot, long firstSequence)
            throws LogDamagedException {
        boolean brandNew = snapshot == null && files.logs().isEmpty();
        boolean interrupted = snapshot != null && files.logs().lower(firstSequence) != null;
        if (!brandNew && !interrupted) {
            String what = snapshot == null ? "the snapshot before the other log files is missing" : "it is missing";
            throw new LogDamagedException(files.logFile(firstSequence), 0, what);
        }
    }

    private static void deleteOld(Disk disk, LogFiles files, long firstSequence) throws IOException {
        for (long old : files.logs().headSet(firstSequence)) {
            disk.delete(files.logFile(old));
        }
        for (long old : files.snapshots().headSet(firstSequence - 1)) {
            disk.delete(files.snapshotFile(old));
        }
    }

    /** What the opening found. */
    public RecoveryReport report() {
        return report;
    }

    @Override
    public void replay(Replay replay) {
        Recovered found = recovered;
        if (found == null) {
            throw new IllegalStateException("log '" + name + "' was replayed before");
        }
        recovered = null;
        if (found.snapshot != null) {
            replay.snapshot(found.snapshotSequence, found.snapshot);
        }
        long sequence = found.snapshotSequence;
        for (byte[] command : found.commands) {
            sequence++;
            replay.command(sequence, command);
        }
    }

    @Override
    public long lastSequence() {
        return lastSequence;
    }

    @Override
    public long bytesSinceSnapshot() {
        return fileBytes - FileHeader.LENGTH;
    }

    /**
     * Appends a record, which is durable only after the next {@link #sync}.
     *
     * @param payload 0 to 16 MiB
     * @return its sequence
     * @throws IOException when it could not be written; the log is of no use any more
     */
    public long append(byte[] payload) throws IOException {
        requireUsable();
        if (payload.length > RecordHeader.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("a record of " + payload.length + " bytes; at most "
                    + RecordHeader.MAX_PAYLOAD_BYTES + " are allowed");
        }
        long sequence = lastSequence + 1;
        byte[] record = RecordHeader.encode(sequence, (int) (lastSequence - syncedSequence), payload);
        try {
            file.append(ByteBuffer.wrap(record));
        } catch (IOException | RuntimeException e) {
            failure = e;
            throw e;
        }
        lastSequence = sequence;
        fileBytes += record.length;
        return sequence;
    }

    /**
     * Makes all appended records durable.
     *
     * @throws IOException when that failed; it is never tried again, the log is of no use any more
     */
    public void sync() throws IOException {
        requireUsable();
        try {
            file.sync();
        } catch (IOException | RuntimeException e) {
            failure = e;
            throw e;
        }
        syncedSequence = lastSequence;
    }

    @Override
    public long appendAndSync(byte[] command) throws IOException {
        long sequence = append(command);
        sync();
        return sequence;
    }

    @Override
    public void snapshot(byte[] state) throws IOException {
        sync();
        LogFiles files = LogFiles.list(disk, name);
        try {
            disk.writeAtomically(files.snapshotFile(lastSequence), SnapshotFile.encode(lastSequence, state));
            if (fileFirstSequence <= lastSequence) {
                startFile(files.logFile(lastSequence + 1));
            }
            deleteOld(disk, files, fileFirstSequence);
        } catch (IOException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    private void startFile(String nextFileName) throws IOException {
        disk.writeAtomically(nextFileName, FileHeader.encode(lastSequence + 1));
        Disk.AppendFile next = disk.openForAppend(nextFileName);
        Disk.AppendFile previous = file;
        file = next;
        fileName = nextFileName;
        fileFirstSequence = lastSequence + 1;
        fileBytes = FileHeader.LENGTH;
        previous.close();
    }

    /** Closes the file. What was appended and not synced may be lost. */
    @Override
    public void close() throws IOException {
        file.close();
    }

    private void requireUsable() throws LogFailedException {
        if (recovered != null) {
            throw new IllegalStateException("log '" + name + "' must be replayed before it is written to");
        }
        if (failure != null) {
            throw new LogFailedException(name, failure);
        }
    }

    @Override
    public String toString() {
        return "log '" + name + "' in file '" + fileName + "' at sequence " + lastSequence;
    }
}
