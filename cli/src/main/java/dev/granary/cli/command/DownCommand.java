package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops a local cluster. */
@Command(
        name = "down",
        mixinStandardHelpOptions = true,
        description = {
            "Stop the local cluster. 'granary up' starts it again: chunks come back from their copies in the logs of",
            "other storage peers. A single storage peer has none, nor has anything with zone.backups=0: that is lost",
            "unless 'granary hibernate' came first.",
        })
public final class DownCommand implements Callable<Integer> {

    @Option(names = "--wipe", description = "Delete the cluster's directory, too.")
    private boolean wipe;

    @Option(names = "--dir", paramLabel = "DIR", description = "Directory of the cluster (default: ~/.granary/local).")
    private @Nullable Path directory;

    @Override
    public Integer call() {
        Path where = (directory == null ? LocalCluster.defaultDirectory() : directory).toAbsolutePath();
        Optional<LocalCluster> cluster = LocalCluster.find(where);
        if (cluster.isEmpty()) {
            System.out.println("There is no local cluster under " + where + ".");
            return 0;
        }
        int stopped = cluster.get().stop(step -> System.err.println("  " + step));
        System.out.println(stopped == 0 ? "The cluster was down already." : "Stopped " + stopped + " processes.");
        if (wipe) {
            try {
                LocalCluster.wipe(where);
            } catch (IOException e) {
                throw new UserException(where + " cannot be deleted: " + e.getMessage(), e);
            }
            System.out.println("Deleted " + where + ".");
        }
        return 0;
    }
}
