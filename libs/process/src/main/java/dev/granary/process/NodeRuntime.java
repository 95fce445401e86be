package dev.granary.process;

import dev.granary.env.BootClock;
import dev.granary.env.Clock;
import dev.granary.env.Environment;
import dev.granary.env.FileDisk;
import dev.granary.env.Loops;
import dev.granary.env.ThreadScheduler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;

/** The real world of one node: the machine's clock, a thread for its control work, a directory, real randomness. */
public final class NodeRuntime implements AutoCloseable {

    private final ThreadScheduler scheduler;
    private final FileDisk disk;
    private final Environment environment;

    private NodeRuntime(Clock clock, ThreadScheduler scheduler, FileDisk disk) {
        this.scheduler = scheduler;
        this.disk = disk;
        this.environment = new Environment(clock, scheduler, new SecureRandom(), disk);
    }

    /**
     * Opens the data directory and starts the control thread.
     *
     * @param dataDir is made when missing; a process that has it open keeps others out
     * @param threadName of the control thread
     * @param control ends the process when a task or a loop has met an error after which nothing can be relied on
     */
    public static NodeRuntime open(Path dataDir, String threadName, ProcessControl control) throws IOException {
        FileDisk disk = FileDisk.open(dataDir);
        try {
            PortsFile.delete(disk);
        } catch (IOException | RuntimeException e) {
            disk.close();
            throw e;
        }
        Clock clock = BootClock.orSystemClock();
        ControlFailures failures = new ControlFailures(clock, control);
        ThreadScheduler scheduler = new ThreadScheduler(threadName, failures::ofTask, new Loops(clock, failures));
        return new NodeRuntime(clock, scheduler, disk);
    }

    public Environment environment() {
        return environment;
    }

    /** The name of this machine; in a pod, the pod's name. */
    public static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // The name has no address; the exception's text begins with it only by accident, so take the plain one.
            String name = System.getenv("HOSTNAME");
            return name == null || name.isBlank() ? "localhost" : name;
        }
    }

    /** Ends the control thread, after the task that runs, and releases the data directory. */
    @Override
    public void close() throws IOException {
        scheduler.close();
        PortsFile.delete(disk);
        disk.close();
    }
}
