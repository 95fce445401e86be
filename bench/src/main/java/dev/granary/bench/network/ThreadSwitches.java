package dev.granary.bench.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How often the threads of a process have given their processor up to wait, which a busy machine does not change: the
 * voluntary context switches of proc_pid_status(5). All are 0 where there is no such file.
 */
public final class ThreadSwitches {

    private static final String FIELD = "voluntary_ctxt_switches:";

    private final Map<String, Long> byThread;

    private ThreadSwitches(Map<String, Long> byThread) {
        this.byThread = byThread;
    }

    /**
     * Looks at a process.
     *
     * @param process its number, or {@code self}
     */
    public static ThreadSwitches of(String process) {
        Map<String, Long> byThread = new HashMap<>();
        Path tasks = Path.of("/proc", process, "task");
        if (Files.isDirectory(tasks)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
                for (Path task : all) {
                    byThread.put(task.getFileName().toString(), read(task.resolve("status")));
                }
            } catch (IOException e) {
                throw new UncheckedIOException("the threads of process " + process + " cannot be listed", e);
            }
        }
        return new ThreadSwitches(byThread);
    }

    /** Those of the calling thread so far. */
    static long ofThisThread() {
        return read(Path.of("/proc/thread-self/status"));
    }

    /** Those since an earlier look, of threads that are still there. */
    public long since(ThreadSwitches before) {
        return byThread.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - before.byThread.getOrDefault(thread.getKey(), 0L))
                .sum();
    }

    private static long read(Path status) {
        try {
            return count(Files.readString(status));
        } catch (IOException e) {
            // There is no such file, or the thread has ended between the list and the look.
            return 0;
        }
    }

    /** The number in the text of a status file. */
    static long count(String status) {
        return status.lines()
                .filter(line -> line.startsWith(FIELD))
                .mapToLong(line -> Long.parseLong(line.substring(FIELD.length()).strip()))
                .sum();
    }
}
