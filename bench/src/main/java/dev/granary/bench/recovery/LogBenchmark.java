package dev.granary.bench.recovery;

import dev.granary.env.FileDisk;
import dev.granary.env.SystemClock;
import dev.granary.log.backup.AppendResult;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.log.backup.ZoneHeader;
import dev.granary.log.batch.BatchWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Backup logs in a benchmark. It encodes batches as an owner does and appends them as a backup does, with all work for
 * the disk on the same thread.
 */
final class LogBenchmark implements AutoCloseable {

    /** The NID in all zones and CIDs. */
    static final int NID = 7;

    private static final long CID_BITS = (long) NID << 48;

    private final FileDisk disk;
    private final BackupLog log;
    private final BatchWriter writer = new BatchWriter();
    private final long[] sequences;
    private final byte[] content = new byte[4096];
    private int zone;

    LogBenchmark(Path directory, BackupLogOptions options, int zones) throws IOException {
        disk = FileDisk.open(directory);
        log = BackupLog.open(disk, options, new SystemClock(), Runnable::run);
        sequences = new long[zones];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31);
        }
        for (int i = 0; i < zones; i++) {
            log.openZone(new ZoneHeader(new UUID(1, 1), zone(i), NID, 1, List.of(8, 9, 10), 0, false))
                    .join();
        }
    }

    static int zone(int number) {
        return NID << 16 | number;
    }

    static long cid(long lid) {
        return CID_BITS | lid;
    }

    static long lid(long cid) {
        return cid & ~CID_BITS;
    }

    BackupLog log() {
        return log;
    }

    /** Starts the next batch of a zone. */
    void start(int number) {
        zone = number;
        writer.start(zone(number), 1, sequences[number] + 1);
    }

    /** Adds a chunk with a number from 0. */
    void chunk(long number, int sizeBytes) {
        writer.chunk(cid(number + 1), content, 0, sizeBytes);
    }

    /** Ends the batch and appends it. Returns its size in bytes. */
    int append() {
        ByteBuffer batch = writer.finish();
        AppendResult result = log.append(batch);
        if (result.status() != AppendResult.Status.APPENDED) {
            throw new IllegalStateException("a batch was not appended: " + result);
        }
        sequences[zone]++;
        return batch.remaining();
    }

    @Override
    public void close() throws IOException {
        log.close();
        disk.close();
    }
}
