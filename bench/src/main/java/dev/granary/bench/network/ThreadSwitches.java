package dev.granary.bench.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

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
                    // One that has ended meanwhile must not count as one that has never waited.
                    read(task.resolve("status"))
                            .ifPresent(count -> byThread.put(task.getFileName().toString(), count));
                }
            } catch (IOException e) {
                throw new UncheckedIOException("the threads of process " + process + " cannot be listed", e);
            }
        }
        return new ThreadSwitches(byThread);
    }

    /** Those of the calling thread so far. */
    static long ofThisThread() {
        return read(Path.of("/proc/thread-self/status")).orElse(0);
    }

    /** Those since an earlier look, of threads that are still there. */
    public long since(ThreadSwitches before) {
        return byThread.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - before.byThread.getOrDefault(thread.getKey(), 0L))
                .sum();
    }

    private static OptionalLong read(Path status) {
        try {
            return count(Files.readString(status));
        } catch (IOException e) {
            // There is no such file, or the thread has ended between the list and the look.
            return OptionalLong.empty();
        }
    }

    /** The number in the text of a status file; that of a thread which has just ended has none. */
    static OptionalLong count(String status) {
        return status.lines()
                .filter(line -> line.startsWith(FIELD))
                .mapToLong(line -> Long.parseLong(line.substring(FIELD.length()).strip()))
                .findFirst();
    }
}
