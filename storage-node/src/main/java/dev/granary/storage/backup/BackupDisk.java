package dev.granary.storage.backup;

import dev.granary.env.Disk;
import dev.granary.env.Environment;
import dev.granary.env.PrefixedDisk;
import java.util.concurrent.Executor;

/**
 * Where copies of zones are kept, and who does the work that waits for the disk.
 *
 * @param disk has the logs to itself
 * @param writer writes and syncs, one task after the other
 * @param readers replay logs into memory, some at once
 */
public record BackupDisk(Disk disk, Executor writer, Executor readers) {

    private static final String PREFIX = "log.";

    /** On the node's own disk, with all work done by the node's scheduler: for the simulator. */
    public static BackupDisk of(Environment environment) {
        return of(environment, environment.scheduler());
    }

    /** The same with a thread that waits for the disk while others go on. */
    public static BackupDisk of(Environment environment, Executor writer) {
        return new BackupDisk(new PrefixedDisk(environment.disk(), PREFIX), writer, environment.scheduler());
    }
}
