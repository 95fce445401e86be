package dev.granary.tools.bench.compare;

import dev.granary.bench.stores.CaseRequest;
import dev.granary.bench.stores.StoreWorkload;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.compare.Contestant.Result;
import dev.granary.tools.bench.process.JsonProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The measurements of all stores, side by side: all servers and clients stay, and in each measurement the stores take
 * turns, so that a busy moment of the machine meets all of them.
 */
public final class CompareExperiment {

    /** A store is warm when it gains less than this. */
    private static final double GAIN = 1.05;

    /** A store whose requests make a round so many times as long as it should be is measured once. */
    private static final int SLOW = 8;

    private static final double PERCENT = 100;
    private static final long START_SECONDS = 120;
    private static final String WORKER = "dev.granary.bench.compare.stores.StoreWorker";

    private final ComparePlan plan;
    private final Path directory;
    private final Launcher launcher;
    private final Output output;
    private final List<AutoCloseable> open = new ArrayList<>();

    /** What takes results. */
    public interface Output {

        /** A line of JSON for each round of each store. */
        void line(String json);

        /** All rounds of all stores in one case. */
        void table(CaseTable table);

        /** What stores are worth in a workload that rates them. */
        void ratings(List<Rating> ratings);

        /** A line for people. */
        void note(String text);
    }

    /**
     * Describes an experiment without starting it.
     *
     * @param directory an empty directory for the files of servers
     */
    public CompareExperiment(ComparePlan plan, Path directory, Launcher launcher, Output output) {
        this.plan = plan;
        this.directory = directory;
        this.launcher = launcher;
        this.output = output;
    }

    /**
     * Measures everything and ends all processes.
     *
     * @throws UserException when a server or a client fails
     */
    public void run() throws IOException, InterruptedException {
        try {
            if (plan.cases().contains(StoreWorkload.BG_PACKAGES)) {
                PackageFriends.write(directory.resolve(StoreWorkload.FRIENDS_FILE));
            }
            List<Contestant> contestants = new ArrayList<>();
            for (StoreChoice choice : plan.choices()) {
                contestants.add(start(choice));
            }
            for (StoreWorkload workload : plan.cases()) {
                load(contestants, workload);
                if (workload.isMultiGet()) {
                    for (int batch : plan.batches()) {
                        var _ = measure(contestants, workload, request(workload, plan.batchThreads(), batch, 0));
                    }
                } else if (workload.isRated()) {
                    rate(contestants, workload);
                } else {
                    measureBothWays(contestants, workload);
                }
            }
        } finally {
            end();
        }
    }

    private Contestant start(StoreChoice choice) throws IOException, InterruptedException {
        Path folder = directory.resolve(choice.toString());
        RunningStore store = keep(RunningStore.start(choice, plan, launcher, folder));
        ProcessBuilder builder = launcher.client(
                choice, WORKER, List.of(choice.toString(), store.ready().address(), directory.toString()), plan);
        JsonProcess client = keep(JsonProcess.start(
                "the client of " + choice, Processors.on(plan.clientCpus(), builder), folder.resolve("client.txt")));
        client.answer(Map.class, START_SECONDS);
        output.note(choice + " " + store.ready().version() + " runs");
        return new Contestant(store, client);
    }

    private <T extends AutoCloseable> T keep(T opened) {
        open.add(opened);
        return opened;
    }

    private void end() {
        for (AutoCloseable each : open.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                output.note("something did not end well: " + e);
            }
        }
    }

    private CaseRequest request(StoreWorkload workload, int threads, int batch, double opsPerSecond) {
        return new CaseRequest(
                workload.toString(), false, objects(workload), threads, batch, plan.millis(), opsPerSecond);
    }

    private int objects(StoreWorkload workload) {
        return plan.objectsByData().getOrDefault(workload.data(), 0);
    }

    private void load(List<Contestant> contestants, StoreWorkload workload) throws IOException {
        for (Contestant each : contestants) {
            Result result =
                    each.measure(new CaseRequest(workload.toString(), true, objects(workload), 1, 1, plan.millis(), 0));
            if (result.figures().operations() > 0) {
                output.note(each + " has loaded " + result.figures().operations() + " objects of " + workload.data()
                        + " bytes");
            }
        }
    }

    private void measureBothWays(List<Contestant> contestants, StoreWorkload workload) throws IOException {
        double slowest =
                measure(contestants, workload, request(workload, plan.threads(), 1, 0)).rounds().values().stream()
                        .mapToDouble(CaseTable::medianOpsPerSecond)
                        .min()
                        .orElse(0);
        double rate = Math.floor(slowest * plan.openPercent() / PERCENT);
        if (rate >= 1) {
            var _ = measure(contestants, workload, request(workload, plan.threads(), 1, rate));
        }
    }

    private void rate(List<Contestant> contestants, StoreWorkload workload) throws IOException {
        List<CaseTable> tables = new ArrayList<>();
        for (int threads : plan.ratedThreads()) {
            tables.add(measure(contestants, workload, request(workload, threads, 1, 0)));
        }
        output.ratings(Rating.of(workload.toString(), tables));
    }

    /** Measures one case. */
    private CaseTable measure(List<Contestant> contestants, StoreWorkload workload, CaseRequest request)
            throws IOException {
        boolean closed = request.opsPerSecond() == 0;
        for (Contestant each : contestants) {
            if (closed) {
                warmUp(each, request);
            }
        }
        CaseTable table = new CaseTable(request, new LinkedHashMap<>());
        Set<String> slow = new HashSet<>();
        for (int round = 1; round <= plan.rounds(); round++) {
            for (Contestant each : contestants) {
                if (slow.contains(each.toString())) {
                    continue;
                }
                Result result = each.measure(request);
                if (isSlow(result, request)) {
                    slow.add(each.toString());
                    output.note(each + " has one round only: a request takes too long for more");
                }
                output.line(CompareLine.of(each, plan, request, workload.valueBytes(), round, result));
                table.rounds()
                        .computeIfAbsent(each.toString(), _ -> new ArrayList<>())
                        .add(result);
            }
        }
        output.table(table);
        return table;
    }

    private static boolean isSlow(Result result, CaseRequest request) {
        return result.figures().nanos() > SLOW * TimeUnit.MILLISECONDS.toNanos(request.millis());
    }

    /** Measures until that gets no faster twice in a row: on a busy machine one slow measurement says little. */
    private void warmUp(Contestant each, CaseRequest request) throws IOException {
        double best = 0;
        int withoutGain = 0;
        for (int attempt = 0; attempt < plan.mostWarmUps() && withoutGain < 2; attempt++) {
            Result result = each.measure(request);
            if (isSlow(result, request)) {
                return;
            }
            double now = result.opsPerSecond();
            withoutGain = now < best * GAIN ? withoutGain + 1 : 0;
            best = Math.max(best, now);
        }
    }
}
