package dev.granary.tools.bench.compare;

import dev.granary.bench.stores.JsonLines;
import dev.granary.bench.stores.ServerReady;
import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.redis.GranaryStore;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The process that starts a local cluster, so that all its processes have the processors of this one. It prints a
 * {@link ServerReady} and ends the cluster with its input. Arguments: an empty directory, the number of storage peers,
 * bytes of chunk memory of each.
 */
public final class ClusterMain {

    private ClusterMain() {}

    /**
     * Runs a cluster. {@link GranaryStore} ends it when this process ends. Nothing else does: this process may be told
     * to end while its input does, and two that stop a cluster at once are in each other's way.
     */
    public static void main(String[] arguments) throws IOException {
        CommandLogging.configure();
        try {
            GranaryStore cluster = GranaryStore.start(
                    Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]), Path.of(arguments[0]));
            System.out.println(JsonLines.write(
                    new ServerReady(cluster.seed(), cluster.version(), cluster.servers(), cluster.others())));
            while (System.in.read() >= 0) {
                // Nothing is told; the end is what counts.
            }
            System.exit(0);
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }
}
