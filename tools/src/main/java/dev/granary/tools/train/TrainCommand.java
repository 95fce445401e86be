package dev.granary.tools.train;

import dev.granary.cli.cluster.AotCaches;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.TemporaryCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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

    /** How long a process may take to write its recording: on a crowded machine more than the usual end. */
    private static final Duration RECORDING_LIMIT = Duration.ofMinutes(2);

    @Option(
            names = "--short",
            description = {
                "Do less: servers start on these caches as fast, but their first recovery is as slow as without",
                "caches. For tests.",
            })
    private boolean isShort;

    @Override
    public Integer call() throws IOException {
        make(AotCaches.ofThisProgram(), isShort ? Training.SHORT : Training.WHOLE, System.err::println);
        return 0;
    }

    /** Makes all caches, by all the work. */
    public static void make(AotCaches caches, Consumer<String> progress) throws IOException {
        make(caches, Training.WHOLE, progress);
    }

    private static void make(AotCaches caches, Training.Form form, Consumer<String> progress) throws IOException {
        caches.open();
        try (TemporaryCluster place = new TemporaryCluster("train", heading -> {}, progress, false)) {
            Recordings recordings = new Recordings(place.directory(), form);
            LocalCluster.Plan plan = plan(form);
            LocalCluster cluster = place.start(plan, recordings);
            cluster = new Training(cluster, () -> place.start(plan, recordings), form).run();
            cluster.stop(progress, RECORDING_LIMIT);
            recordings.create(caches);
        }
        caches.seal();
    }

    private static LocalCluster.Plan plan(Training.Form form) {
        Map<String, String> settings = Map.of("zone.backups", Integer.toString(form.backups()), "lease.duration", "1s");
        return new LocalCluster.Plan(form.superPeers(), form.storagePeers(), "256Mi", 0, settings);
    }
}
