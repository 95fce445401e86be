package dev.granary.tools.simulate;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.env.Probes;
import dev.granary.simulation.Fault;
import dev.granary.simulation.FaultKind;
import dev.granary.simulation.Minimiser;
import dev.granary.simulation.SeedPlan;
import dev.granary.simulation.SeedResult;
import dev.granary.simulation.SeedRuns;
import dev.granary.simulation.big.BigPlan;
import dev.granary.simulation.big.BigResult;
import dev.granary.simulation.big.BigSimulation;
import dev.granary.simulation.planted.PlantedBugs;
import dev.granary.simulation.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs whole clusters in the simulator, seed by seed, and checks the histories of their clients. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Run whole clusters on virtual time, under work and faults, and check what their clients saw.",
            "Each seed is a cluster of 3 or 5 super-peers, 5 storage peers and 4 clients with at least 2,000"
                    + " operations.",
            "Seeds leave kinds of faults out, and shrink buffers, time limits and segments, each seed others.",
            "The same seed is the same run, event by event. Ends with exit code 1 when a seed shows what must not be.",
        })
public final class SimulateCommand implements Callable<Integer> {

    private static final int NOT_COVERED = 3;

    /** How many seeds are run for what is not covered before it is looked at again. */
    private static final int MORE_SEEDS = 20;

    private static final long PROGRESS_NANOS = 10_000_000_000L;

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "10", description = "How many seeds. Default: 10.")
    private int seeds = 10;

    @Option(
            names = "--most-seeds",
            paramLabel = "N",
            defaultValue = "0",
            description = "When a kind of fault or a probe is not covered after --seeds, run more until all are, so"
                    + " many in all at most. A rare one may be missed by any few seeds. Default: none.")
    private int mostSeeds;

    @Option(names = "--first-seed", paramLabel = "S", defaultValue = "1", description = "The first one. Default: 1.")
    private long firstSeed = 1;

    @Option(
            names = "--step",
            paramLabel = "N",
            defaultValue = "1",
            description = "How far a seed is from the one before it: 3 takes every third seed. Default: 1.")
    private int step = 1;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description =
                    "How many seeds at a time; a seed has the same result beside others. Default: the processors.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--faults",
            paramLabel = "LIST",
            defaultValue = "all",
            description =
                    "Kinds of faults with commas between them; a wrong name lists them. 'all' is all but lost-ring and"
                            + " lost-arc, which are named beside it: all,lost-ring. Default: all.")
    private String faults = "all";

    @Option(
            names = "--backups",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many other storage peers hold a copy of each chunk: 3, or 0 for none. Default: 3.")
    private int backups;

    @Option(
            names = "--ring",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many super-peers each seed has: 3, or 5, of which two may lose their disks at once."
                    + " Default: 3.")
    private int ring;

    @Option(
            names = "--every-kind",
            description = "Each seed has every kind of fault, and more of it until one has taken effect, and sizes as"
                    + " processes have them.")
    private boolean everyKind;

    @Option(
            names = "--require-coverage",
            description = "Ends with exit code " + NOT_COVERED
                    + " when a kind of fault took effect in no seed, or no seed" + " reached a probe.")
    private boolean requireCoverage;

    @Option(names = "--probes", description = "Print how often each probe in the code was hit.")
    private boolean showProbes;

    @Option(
            names = "--only",
            paramLabel = "IDS",
            split = ",",
            description = "Inject only the faults with these numbers of each seed's schedule.")
    private @Nullable Set<Integer> only;

    @Option(names = "--trace", description = "Print every event.")
    private boolean trace;

    @Option(
            names = "--minimise",
            paramLabel = "TRIES",
            defaultValue = "0",
            description =
                    "After a violation, look for few faults that are enough, in so many runs at most. Default: 0.")
    private int minimiseTries;

    @Option(
            names = "--history",
            paramLabel = "DIR",
            description = "Write what clients asked and saw to a file for each seed, for another judge.")
    private @Nullable Path history;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures to a file as well.")
    private @Nullable Path json;

    @Option(
            names = "--planted",
            paramLabel = "LIST",
            description =
                    "Instead of seeds: run each of these planted bugs, with commas between them, until a seed shows"
                            + " it, and that seed without it; a wrong name lists them, 'all' is all, and a minus before"
                            + " a name leaves it out. Ends with exit code 1 when one is not caught by "
                            + PlantedRun.MOST_SEEDS + " seeds.")
    private @Nullable String planted;

    @Option(
            names = "--runs",
            paramLabel = "FILE",
            description =
                    "Instead of one run: each line of this file has the options of a run, and one that is empty or"
                            + " begins with # has none. They run one after the other, in one JVM that compiles the code"
                            + " of clusters once. All run, whatever fails; ends with the exit code of the first one"
                            + " that failed.")
    private @Nullable Path runs;

    @Spec
    private @Nullable CommandSpec spec;

    @ArgGroup(exclusive = false, heading = "%nA big simulation (--first-seed and --json go with it):%n")
    private @Nullable BigOptions big;

    @Override
    public Integer call() {
        CommandLogging.silence();
        if (runs != null) {
            CommandLine own = Objects.requireNonNull(spec).commandLine();
            if (own.getParseResult().matchedOptions().size() > 1) {
                throw new UserException("--runs goes alone: each line of " + runs + " has the options of its run");
            }
            return RunList.read(runs).run(own);
        }
        requireWritable();
        if (planted != null) {
            return plantBugs(planted);
        }
        return big != null && big.isWanted() ? simulateBig(big.plan(firstSeed)) : simulateSeeds();
    }

    private int simulateBig(BigPlan plan) {
        BigTable table = new BigTable();
        table.head();
        long startNanos = System.nanoTime();
        BigResult result = BigSimulation.run(plan, table::row);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        table.totals(result, seconds);
        write(BigTable.json(result, seconds));
        return result.violation().isEmpty() ? 0 : 1;
    }

    private int plantBugs(String list) {
        PlantedBugRuns runs = new PlantedBugRuns(firstSeed, checkedThreads());
        try {
            runs.run(PlantedBugs.parse(list));
        } catch (IllegalArgumentException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
        write(runs.toJson());
        return runs.missed() == 0 ? 0 : 1;
    }

    private int checkedThreads() {
        if (threads < 1) {
            throw new UserException("--threads is " + threads + ", at least 1 is needed");
        }
        return threads;
    }

    private int simulateSeeds() {
        if (seeds < 1) {
            throw new UserException("--seeds is " + seeds + ", at least 1 is needed");
        }
        if (step < 1) {
            throw new UserException("--step is " + step + ", at least 1 is needed");
        }
        Set<FaultKind> kinds = kinds();
        Probes.startCounting();
        Totals totals = new Totals(plan(firstSeed, kinds).fittingKinds());
        long startNanos = System.nanoTime();
        Progress progress = new Progress(startNanos);
        try {
            runSeeds(0, seeds, kinds, totals, progress);
            for (int from = seeds; from < mostSeeds && !totals.isCovered(); from += MORE_SEEDS) {
                runSeeds(from, Math.min(from + MORE_SEEDS, mostSeeds), kinds, totals, progress);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        totals.print(seconds);
        if (showProbes) {
            totals.printProbes();
        }
        write(totals.toJson(firstSeed, step, seconds));
        if (totals.violations() > 0) {
            return 1;
        }
        return requireCoverage && !totals.isCovered() ? NOT_COVERED : 0;
    }

    /** Runs the seeds of these numbers, which count from 0 on. */
    private void runSeeds(int from, int to, Set<FaultKind> kinds, Totals totals, Progress progress)
            throws InterruptedException {
        SeedRuns.run(
                LongStream.range(from, to).mapToObj(number -> plan(firstSeed + number * step, kinds)),
                trace ? 1 : checkedThreads(),
                result -> {
                    totals.add(result);
                    if (result.violation().isPresent()) {
                        report(plan(result.seed(), kinds), result, totals);
                    }
                    progress.tell(totals);
                });
    }

    /** Prints the progress now and then. */
    private final class Progress {
        private final long startNanos;
        private long nextNanos;
        private int done;

        Progress(long startNanos) {
            this.startNanos = startNanos;
            this.nextNanos = startNanos + PROGRESS_NANOS;
        }

        void tell(Totals totals) {
            done++;
            long nowNanos = System.nanoTime();
            if (nowNanos - nextNanos >= 0) {
                nextNanos = nowNanos + PROGRESS_NANOS;
                System.err.printf(
                        "%d of %d seeds, %d violations, %.0f s%n",
                        done, Math.max(done, seeds), totals.violations(), (nowNanos - startNanos) / 1e9);
            }
        }
    }

    private Set<FaultKind> kinds() {
        if (backups != 0 && backups != 3) {
            throw new UserException("--backups is 3, or 0 for none");
        }
        if (ring != 3 && ring != 5) {
            throw new UserException("--ring is 3 or 5");
        }
        try {
            return FaultKind.parse(faults);
        } catch (IllegalArgumentException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        }
    }

    private SeedPlan plan(long seed, Set<FaultKind> kinds) {
        SeedPlan plan = SeedPlan.of(seed).withKinds(kinds).withSwarm(!everyKind);
        plan = plan.withShape(plan.shape().withReplicated(backups > 0).withSuperPeers(ring));
        plan = trace ? plan.withTrace(System.out::println) : plan;
        plan = history == null ? plan : plan.withHistory(history);
        return only == null ? plan : plan.withOnly(new HashSet<>(only));
    }

    private void report(SeedPlan plan, SeedResult result, Totals totals) {
        List<Fault> left = result.faults();
        String again = "granary simulate --seeds 1 --first-seed " + result.seed() + " --ring " + ring + " --backups "
                + backups + " --faults " + faults + (everyKind ? " --every-kind" : "");
        String replay = again;
        if (only != null) {
            replay += " --only " + only.stream().sorted().map(String::valueOf).collect(Collectors.joining(","));
        }
        System.out.println(
                "VIOLATION in seed " + result.seed() + ": " + result.violation().orElse(""));
        if (minimiseTries > 0) {
            left = Minimiser.minimise(plan, result, minimiseTries);
            replay = again + " --only "
                    + left.stream().map(fault -> String.valueOf(fault.id())).collect(Collectors.joining(","));
            System.out.println(
                    "enough are " + left.size() + " of " + result.faults().size() + " faults:");
        } else {
            System.out.println("faults:");
        }
        left.forEach(fault -> System.out.println("  " + fault));
        System.out.println("again, event by event: " + replay + " --trace");
        totals.addViolation(result, left, replay);
    }

    /** Before seeds run for hours whose figures would be lost. */
    private void requireWritable() {
        if (json != null) {
            Path parent = json.toAbsolutePath().getParent();
            boolean isFolder = Files.isDirectory(json);
            if (parent == null || isFolder || !Files.isWritable(Files.exists(json) ? json : parent)) {
                throw new UserException(
                        "cannot write " + json + ": a folder, in no folder that exists, or no right to do so");
            }
        }
    }

    /** Whether this is a list of other runs. */
    boolean isList() {
        return runs != null;
    }

    private void write(Map<String, Object> figures) {
        if (json != null) {
            try {
                Files.writeString(json, Json.pretty(figures) + "\n");
            } catch (IOException e) {
                throw new UserException("cannot write " + json + ": " + e.getMessage(), e);
            }
        }
    }
}
