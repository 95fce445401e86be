package dev.granary.tools.train;

import dev.granary.cli.cluster.AotCaches;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.TemporaryCluster;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** Makes the AOT caches of this distribution, for people who build one. */
@Command(
        name = "train",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = {
            "Make the AOT caches with which the servers of this distribution start.",
            "Records a small cluster on this machine, which takes about a minute, and leaves nothing else behind.",
        })
public final class TrainCommand implements Callable<Integer> {

    private static final LocalCluster.Plan PLAN = new LocalCluster.Plan(
            Training.SUPER_PEERS,
            Training.STORAGE_PEERS,
            "256Mi",
            0,
            Map.of("zone.backups", "3", "lease.duration", "1s"));

    @Override
    public Integer call() throws IOException {
        make(AotCaches.ofThisProgram(), System.err::println);
        return 0;
    }

    /** Makes all caches. */
    public static void make(AotCaches caches, Consumer<String> progress) throws IOException {
        caches.open();
        try (TemporaryCluster place = new TemporaryCluster("train", heading -> {}, progress, false)) {
            Recordings recordings = new Recordings(place.directory());
            LocalCluster cluster = place.start(PLAN, recordings);
            cluster = new Training(cluster, () -> place.start(PLAN, recordings)).run();
            cluster.stop(progress);
            recordings.create(caches);
        }
        caches.seal();
    }
}
