package dev.granary.tools.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.recovery.RecoveryCase;
import dev.granary.bench.recovery.RecoveryWorker;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.AotCaches;
import dev.granary.client.GranaryException;
import dev.granary.tools.train.TrainCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures logging, replay and recovery, each case in its own process. */
@Command(
        name = "recovery",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure backup logs on the disk of a directory: appends, replay into chunk memory, what the cleaner costs, and dumps;"
                    + " each case in a process of its own. Measure clusters of processes: recovery, replicated puts.",
        },
        footer = {
            "",
            "  granary bench recovery --json result.json",
            "",
            "log-append: updates of 64 B, encoded, checked, written and synced on one core; diskBytesPerSecond is the disk's"
                    + " own speed in the same run. log-replay: a zone replayed into chunk memory"
                    + " (replayChunksPerSecondPerCore) and into nothing (readChunksPerSecondPerCore), round by round while"
                    + " the code is compiled. log-cleaner: utilisation and write amplification of the segments of a zone"
                    + " whose chunks of 32 to 256 B are overwritten three times over. dump: dump and load of"
                    + " chunk memory as shares of what the disk does in the same run. recovery: a storage peer of a cluster"
                    + " with so many chunks is killed after 15 s of reads; recoveryMillis and firstChunkMillis count from"
                    + " the end of its lease, unserved...Millis from the kill, each as a client sees it that asks for 1,000"
                    + " of its chunks, whose process has the JVM's first compiler only;"
                    + " aotCaches says whether the servers started on AOT caches, as in images; they are made first where they can be."
                    + " replicated-put: batches of puts of one client with three backups against none, when they get no faster"
                    + " any more, or after 70 s.",
            "",
            "Each line of the file has the same fields, null where one does not belong to its case, and those of its case"
                    + " behind them.",
        })
public final class BenchRecoveryCommand implements Callable<Integer> {

    private static final long HEAP_BYTES = 1L << 30;

    /** The fewest chunks that give a meaningful result. */
    private static final long LEAST_CHUNKS = 10_000;

    /** The most chunks; their numbers must fit an int. */
    private static final long MOST_CHUNKS = 2_000_000_000;

    @Option(
            names = "--chunks",
            paramLabel = "N",
            defaultValue = "2M",
            description = "How many chunks, 10,000 or more; some cases take fewer. Default: ${DEFAULT-VALUE}")
    private String chunks = "2M";

    @Option(
            names = "--cases",
            paramLabel = "CASE",
            split = ",",
            description =
                    "Measure only these: log-append, log-replay, log-cleaner, dump, recovery, replicated-put. Default: all")
    private List<String> cases = known();

    @Option(
            names = "--peers",
            paramLabel = "N",
            split = ",",
            defaultValue = "3,5,8",
            description = "Storage peers of the clusters of the case recovery, 2 or more. Default: ${DEFAULT-VALUE}")
    private List<Integer> peers = List.of();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where the logs are written; on the disk to be measured. Default: a temporary directory")
    private @Nullable Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        long count;
        try {
            count = Numbers.count("--chunks", chunks);
            requireSane(count);
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        requireRoom(count);
        try (RecoveryTable table = new RecoveryTable(json)) {
            table.note(Machine.description());
            for (String measured : cases) {
                measure(measured, count, table);
            }
        }
        return 0;
    }

    private static List<String> known() {
        List<String> known = new ArrayList<>(
                RecoveryWorker.CASES.stream().map(RecoveryCase::name).toList());
        known.add(ClusterRecovery.CASE);
        known.add(ReplicatedPuts.CASE);
        return known;
    }

    private void requireSane(long count) {
        List<String> known = known();
        for (String wanted : cases) {
            if (!known.contains(wanted)) {
                throw new BadOptionException("there is no case '" + wanted + "'; known: " + String.join(", ", known));
            }
        }
        if (count < LEAST_CHUNKS || count > MOST_CHUNKS) {
            throw new BadOptionException("--chunks must be " + Sizes.count(LEAST_CHUNKS) + " to "
                    + Sizes.count(MOST_CHUNKS) + ", not '" + chunks + "'");
        }
        for (int number : peers) {
            if (number < ClusterRecovery.LEAST_PEERS) {
                throw new BadOptionException("--peers must be " + ClusterRecovery.LEAST_PEERS
                        + " or more, because one is killed and another one takes over; not '" + number + "'");
            }
        }
    }

    /** Checks memory and disk before the measurements, which take minutes. */
    private void requireRoom(long count) {
        Path parent = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
        try {
            Files.createDirectories(parent);
            if (!Files.isWritable(parent)) {
                throw new UserException(parent + " cannot be written to");
            }
            if (cases.contains(ClusterRecovery.CASE)) {
                for (int number : peers) {
                    ClusterRoom.require(parent, number, count);
                }
            }
            if (cases.contains(ReplicatedPuts.CASE)) {
                ClusterRoom.require(parent, ReplicatedPuts.PEERS, ReplicatedPuts.CHUNKS);
            }
        } catch (IOException e) {
            throw new UserException(parent + " cannot be made or used: " + e, e);
        }
    }

    private void measure(String measured, long count, RecoveryTable table) throws IOException {
        switch (measured) {
            case ClusterRecovery.CASE -> {
                makeCaches(table);
                for (int number : peers) {
                    inDirectory(work -> ClusterRecoveryMain.run(work, number, (int) count, table));
                }
            }
            case ReplicatedPuts.CASE ->
                inDirectory(work -> inDirectory(other -> table.add(ReplicatedPuts.measure(work, other))));
            default -> inDirectory(work -> measureAlone(measured, work, count, table));
        }
    }

    /** Makes AOT caches, because servers are measured as they run in images, which have them (ADR 0148). */
    private static void makeCaches(RecoveryTable table) {
        AotCaches caches = AotCaches.ofThisProgram();
        if (!caches.canBe() || caches.areThere()) {
            return;
        }
        table.note("making AOT caches for the servers, as images have them: about a minute, once for each build ...");
        try {
            TrainCommand.make(caches, step -> {});
        } catch (IOException | UserException | GranaryException e) {
            table.note("no AOT caches could be made, measuring without: " + e.getMessage());
        }
    }

    private static void measureAlone(String measured, Path work, long count, RecoveryTable table) {
        new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, List.of())
                .run(RecoveryWorker.class.getName(), List.of(measured, work.toString(), Long.toString(count)), table);
    }

    /** Work with its own directory. */
    private interface Work {
        void in(Path directory) throws IOException;
    }

    private void inDirectory(Work work) throws IOException {
        try (WorkDirectory own = WorkDirectory.make(directory)) {
            work.in(own.path());
        }
    }
}
