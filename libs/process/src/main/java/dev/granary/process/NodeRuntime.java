package dev.granary.process;

import dev.granary.env.Environment;
import dev.granary.env.FileDisk;
import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real world of one node: the machine's clock, a thread for its control work, a directory, real randomness. */
public final class NodeRuntime implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);

    private final ThreadScheduler scheduler;
    private final FileDisk disk;
    private final Environment environment;

    private NodeRuntime(ThreadScheduler scheduler, FileDisk disk) {
        this.scheduler = scheduler;
        this.disk = disk;
        this.environment = new Environment(new SystemClock(), scheduler, new SecureRandom(), disk);
    }

    /**
     * Opens the data directory and starts the control thread.
     *
     * @param dataDir is made when missing; a process that has it open keeps others out
     * @param threadName of the control thread
     */
    public static NodeRuntime open(Path dataDir, String threadName) throws IOException {
        FileDisk disk = FileDisk.open(dataDir);
        try {
            PortsFile.delete(disk);
        } catch (IOException | RuntimeException e) {
            disk.close();
            throw e;
        }
        ThreadScheduler scheduler = new ThreadScheduler(
                threadName, thrown -> LOG.atError().setCause(thrown).log("a control task failed"));
        return new NodeRuntime(scheduler, disk);
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
