package dev.granary.storage.backup;

import dev.granary.env.Disk;
import dev.granary.env.Environment;
import dev.granary.env.PrefixedDisk;
import java.util.concurrent.Executor;

/**
 * The disk that keeps copies of zones, and the threads that wait for it.
 *
 * @param disk a disk that only the logs use
 * @param writer writes and syncs, one task after the other
 * @param readers replay logs into memory, several at once
 */
public record BackupDisk(Disk disk, Executor writer, Executor readers) {

    private static final String PREFIX = "log.";

    /** Returns the node's own disk, with all work done by the node's scheduler: for the simulator. */
    public static BackupDisk of(Environment environment) {
        return of(environment, environment.scheduler());
    }

    /** Returns the node's own disk with another executor that waits for the disk, so that the scheduler goes on. */
    public static BackupDisk of(Environment environment, Executor writer) {
        return new BackupDisk(new PrefixedDisk(environment.disk(), PREFIX), writer, environment.scheduler());
    }
}
