package dev.granary.process;

import dev.granary.env.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The file {@code ports.json} of the data directory tells local tools which ports a process took. It is there only
 * while the process listens, or after it was killed; the pid tells the two apart.
 */
public final class PortsFile {

    private static final String FILE = "ports.json";

    private PortsFile() {}

    /** Call it once both ports are open. */
    public static void write(Disk disk, int listenPort, int httpPort) throws IOException {
        write(disk, listenPort, httpPort, 0);
    }

    /** The same for a process with a door for Redis clients; the port 0 stands for none. */
    public static void write(Disk disk, int listenPort, int httpPort, int redisPort) throws IOException {
        JsonText text = new JsonText().object().field("listenPort", listenPort).field("httpPort", httpPort);
        if (redisPort != 0) {
            text.field("redisPort", redisPort);
        }
        String json = text.field("pid", ProcessHandle.current().pid()).end().toString();
        disk.writeAtomically(FILE, (json + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Call it at the start, to remove what a killed process left, and at the stop. */
    public static void delete(Disk disk) throws IOException {
        disk.delete(FILE);
    }
}
