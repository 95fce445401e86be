package dev.granary.tools.bench;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.Directories;
import dev.granary.cli.cluster.ExitHook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A directory for one measurement. It is deleted when this is closed, and when this process is told to end. */
final class WorkDirectory implements AutoCloseable {

    private static final String PREFIX = "granary-bench";

    /** The most attempts to delete. Processes that are told to end take some seconds, or a minute if they hang. */
    private static final int CLEAN_UPS = 700;

    private static final long CLEAN_UP_MILLIS = 100;

    /** The directory counts as deleted when this many looks in a row do not find it. */
    private static final int GONE = 3;

    private final Path path;
    private final ExitHook hook;

    private WorkDirectory(Path path) {
        this.path = path;
        this.hook = ExitHook.begin("end-of-work-directory", this::deleteUntilGone);
    }

    /**
     * Makes a directory.
     *
     * @param parent the parent directory, null for the system's directory of temporary files
     */
    static WorkDirectory make(@Nullable Path parent) throws IOException {
        Path path = parent == null
                ? Files.createTempDirectory(PREFIX)
                : Files.createTempDirectory(Files.createDirectories(parent), PREFIX);
        try {
            return new WorkDirectory(path);
        } catch (UserException e) {
            Files.delete(path);
            throw e;
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            Directories.delete(path);
        } catch (IOException e) {
            throw new UserException(path + " cannot be deleted: " + e.getMessage(), e);
        } finally {
            hook.close();
        }
    }

    /**
     * Deletes the directory repeatedly. The processes that write there are told to end at the same time, and may still
     * write for a while.
     */
    private void deleteUntilGone() {
        int gone = 0;
        try {
            for (int i = 0; i < CLEAN_UPS && gone < GONE; i++) {
                if (ProcessHandle.current().descendants().noneMatch(ProcessHandle::isAlive)) {
                    gone = Files.exists(path) ? 0 : gone + 1;
                    deleteWhatCanBe();
                }
                TimeUnit.MILLISECONDS.sleep(CLEAN_UP_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (gone < GONE) {
            System.err.println("granary: " + path + " could not be deleted");
        }
    }

    private void deleteWhatCanBe() {
        try {
            Directories.delete(path);
        } catch (IOException e) {
            // A process writes there at this moment. The next attempt follows soon.
        }
    }
}
