package dev.granary.tools.bench.compare;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lists of processors, and processes that run on them. */
public final class Processors {

    private static final String TASKSET = "taskset";

    private Processors() {}

    /**
     * The processors of servers of a machine without other wishes: the first half.
     *
     * @param count how many processors there are
     */
    public static String ofServers(int count) {
        return list(0, Math.max(1, count / 2));
    }

    /** The processors of clients: the second half, or the only one. */
    public static String ofClients(int count) {
        return count == 1 ? "0" : list(count / 2, count);
    }

    private static String list(int from, int to) {
        return to - from == 1 ? Integer.toString(from) : from + "-" + (to - 1);
    }

    /** A process that runs on some processors only, as all do that it starts. It keeps its identifier. */
    static ProcessBuilder on(String list, ProcessBuilder builder) {
        builder.command().addAll(0, List.of(TASKSET, "-c", list));
        return builder;
    }

    /**
     * Puts all threads of a process onto processors.
     *
     * @throws UserException when that is refused
     */
    static void pin(long pid, String list) throws IOException {
        Process process = new ProcessBuilder(TASKSET, "-a", "-c", "-p", list, Long.toString(pid))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new UserException("a server cannot be put onto the processors " + list + ": " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }
}
