package dev.granary.cli.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.cli.base.UserException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Processes of a cluster that is being started. Until this is closed they end with this process, so that an interrupted
 * start leaves no process behind. Thread-safe.
 */
final class StartedProcesses implements AutoCloseable {

    @GuardedBy("this")
    private final List<NodeProcess> started = new ArrayList<>();

    private final ExitHook hook = ExitHook.begin("end-of-started-processes", this::end);

    @GuardedBy("this")
    private boolean ended;

    private StartedProcesses() {}

    static StartedProcesses begin() {
        return new StartedProcesses();
    }

    /** Starts one more process. */
    synchronized NodeProcess add(Supplier<NodeProcess> start) {
        if (ended) {
            throw new UserException("interrupted");
        }
        NodeProcess process = start.get();
        started.add(process);
        return process;
    }

    /** Leaves out a process that has ended and that another one replaces. */
    synchronized void forget(NodeProcess process) {
        started.remove(process);
    }

    synchronized void requireAlive() {
        started.forEach(NodeProcess::requireAlive);
    }

    /** Kills all processes; {@link #add} fails from here on. */
    synchronized void end() {
        ended = true;
        started.forEach(NodeProcess::kill);
    }

    /** Lets the processes outlive this process. */
    @Override
    public void close() {
        hook.close();
    }
}
