package dev.granary.cli.log;

import dev.granary.cli.base.UserException;
import dev.granary.env.SystemClock;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BackupLogOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The directory of backup logs that the commands read. */
final class LogDirectory {

    @Parameters(
            index = "0",
            paramLabel = "DIR",
            description = "The directory of the logs, as it is in a peer's data directory.")
    private Path directory = Path.of(".");

    /**
     * Opens the logs as a storage peer would after a restart, without a change to the directory.
     *
     * @throws UserException when there are no logs, or they cannot be opened
     */
    BackupLog open() {
        if (!Files.isDirectory(directory)) {
            throw new UserException(directory + " is not a directory");
        }
        OverlayDisk disk = new OverlayDisk(directory);
        try {
            if (disk.list().stream().noneMatch(name -> name.startsWith("zones-"))) {
                throw new UserException(directory + " has no backup logs: there is no zone table in it (zones-*.log)");
            }
            return BackupLog.open(disk, BackupLogOptions.defaults(), new SystemClock(), Runnable::run);
        } catch (IOException e) {
            throw new UserException(
                    "the logs in " + directory + " cannot be opened: " + e.getMessage()
                            + ". If the peer cannot start either, let the cluster recover from the other backups and give"
                            + " the peer an empty directory.",
                    e);
        }
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
