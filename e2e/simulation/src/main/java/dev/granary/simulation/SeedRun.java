package dev.granary.simulation;

import dev.granary.overlay.Ring;
import dev.granary.testkit.HistoryFile;
import dev.granary.testkit.Operation;
import dev.granary.testkit.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs one seed: a cluster starts, clients work while faults come and go, everything is mended, every chunk is read,
 * and what the clients saw is checked. A violation is an answer that no order of the operations explains, a process
 * that fails in a way that none may, a cluster that does not come back with all its copies, or an operation that does
 * not end. A fault that has no effect does not count: the result says which had one.
 */
public final class SeedRun {

    private static final long SECOND = 1_000_000_000;
    private static final long ROUND_NANOS = FaultSchedule.RESERVE_STEP_NANOS;
    private static final int MOST_ROUNDS = 60;
    private static final long LOOK_NANOS = 1_000_000;
    private static final long COPIES_LOOK_NANOS = 50 * LOOK_NANOS;
    private static final long IDLE_LIMIT_NANOS = 30 * SECOND;
    private static final long COPIES_LIMIT_NANOS = 60 * SECOND;
    private static final long RING_LIMIT_NANOS = 90 * SECOND;
    private static final long RING_QUIET_NANOS = 2 * SECOND;
    private static final int PARALLEL = 3;
    private static final int UNANSWERED_SHOWN = 5;

    private final SeedPlan plan;
    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final FaultInjector faults;
    private final List<Long> cids = new ArrayList<>();
    private final List<ClientWorkload> workloads = new ArrayList<>();
    private final KeysOfClients keys;
    private Consumer<HistoryFile> namesHistory = file -> {};
    private final Map<String, Integer> outcomes = new TreeMap<>();

    private SeedRun(SeedPlan plan) {
        this.plan = plan;
        this.cluster = new SimulatedCluster(plan.seed(), plan.tunedShape());
        this.simulation = cluster.simulation();
        this.faults = new FaultInjector(cluster, cids);
        this.keys = new KeysOfClients(cluster);
        plan.trace().ifPresent(simulation::traceTo);
    }

    /**
     * Runs a plan. The same plan has the same result, event by event, in every JVM. Each run has a thread of its own,
     * so that what the code under test keeps per thread, buffers above all, ends with it. An interrupted caller still
     * waits for the end.
     */
    public static SeedResult run(SeedPlan plan) {
        return CompletableFuture.supplyAsync(() -> runHere(plan), task -> startThread(plan, task))
                .join();
    }

    private static void startThread(SeedPlan plan, Runnable task) {
        Thread.ofPlatform().name("seed " + plan.seed()).start(task);
    }

    private static SeedResult runHere(SeedPlan plan) {
        SeedRun run = new SeedRun(plan);
        Optional<String> violation = Optional.empty();
        try {
            run.workAndCheck();
        } catch (RuntimeException | AssertionError problem) {
            violation = Optional.of(String.valueOf(problem.getMessage()));
        } finally {
            run.cluster.close();
        }
        plan.historyFolder().ifPresent(run::writeHistory);
        return run.result(violation);
    }

    private void writeHistory(Path folder) {
        String source = "simulator-" + plan.seed();
        try (HistoryFile file = HistoryFile.create(folder.resolve(source + ".jsonl"), source)) {
            cluster.history().writeTo(file);
            namesHistory.accept(file);
        }
    }

    private SeedResult result(Optional<String> violation) {
        outcomes.putAll(cluster.history().outcomes());
        return new SeedResult(
                plan.seed(),
                simulation.traceHash(),
                simulation.events(),
                simulation.nowNanos(),
                operations(),
                outcomes,
                faults.injected(),
                faults.tookEffect(),
                violation);
    }

    private void workAndCheck() {
        cluster.start();
        cluster.clients()
                .forEach(client ->
                        workloads.add(new ClientWorkload(simulation, client, cids, cluster::isGone, cluster.habits())));
        workloads.forEach(workload -> workload.start(PARALLEL));
        NamesAndLocks namesAndLocks = new NamesAndLocks(simulation, cluster.clients(), cids, cluster::isGone);
        namesHistory = namesAndLocks::writeTo;
        namesAndLocks.start();
        keys.start();
        cluster.whenSuperPeersAreLost(
                () -> namesAndLocks.lost(cluster.simulation().nowNanos()));
        FaultSchedule schedule = plan.schedule();
        if (plan.only().isPresent()) {
            work(chosen(schedule, plan.only().get()));
        } else {
            work(schedule);
        }
        faults.stop();
        // What is read below must not meet a kill that a fault does late: nothing is broken then.
        simulation.runFor(faults.underWayNanos());
        workloads.forEach(ClientWorkload::stop);
        namesAndLocks.stop();
        keys.stop();
        requireOneCluster();
        cluster.recover();
        requireWithinLimit(
                () -> workloads.stream().allMatch(ClientWorkload::isIdle) && namesAndLocks.isIdle() && keys.isIdle(),
                "an operation does not end");
        requireWithinLimit(faults::backupsAreIdle, "the reading of a backup does not end");
        requireWantedRing();
        requireCopies();
        readEverything();
        if (plan.lastCrash()) {
            crashEverything();
            requireCopies();
            readEverything(cluster.clients().getLast());
        }
        requireLoops();
        cluster.history().check();
        outcomes.putAll(namesAndLocks.outcomes());
        namesAndLocks.readAndCheck();
        outcomes.putAll(keys.outcomes());
        keys.readAndCheck(faults.mostDriftPpm());
        requireOneViewOfZones();
        require(
                faults.believedOfImpostors().isEmpty(),
                "nodes have not refused an impostor: " + faults.believedOfImpostors());
        require(
                plan.only().isPresent() || operations() >= plan.operations(),
                "clients began " + operations() + " operations only");
    }

    /** Kills all storage peers once nobody has written for a while, so that the files of the copies hold everything. */
    private void crashEverything() {
        simulation.runFor(SECOND);
        cluster.storagePeers().forEach(Machine::kill);
        cluster.recover();
    }

    private void requireOneCluster() {
        Set<String> clusters = cluster.clusterIds();
        require(clusters.size() == 1, "there are several clusters, " + clusters + ",");
    }

    /**
     * Whatever faults had to wait for is there once nothing is broken: all copies, also those that nobody reads. A zone
     * that waits for a backup whose disk is lost waits for a person; the history tells whether anything was lost then.
     */
    private void requireCopies() {
        boolean came;
        do {
            came = !cluster.isReplicated()
                    || simulation.runUntil(cluster::copiesAreInSync, COPIES_LIMIT_NANOS, COPIES_LOOK_NANOS);
        } while (!came && cluster.giveUpLostBackups());
        require(came, "copies are missing although nothing is broken: zones are " + cluster.zonesInWords());
    }

    /**
     * Requires that owners replicate their zones to the backups that the arcs have committed. Clients cannot see that.
     */
    private void requireOneViewOfZones() {
        boolean agreed = !cluster.isReplicated()
                || simulation.runUntil(
                        () -> cluster.zoneDifferences().isEmpty(), COPIES_LIMIT_NANOS, COPIES_LOOK_NANOS);
        require(agreed, "owners and arcs differ on the backups of zones: " + cluster.zoneDifferences());
    }

    /**
     * Requires that no loop for safety or liveness stands still once nothing is broken: its process would be restarted.
     */
    private void requireLoops() {
        simulation.nodes().forEach(node -> node.stalledLoops().ifPresent(stalled -> {
            throw new AssertionError(
                    "node " + node.name() + " does not do its work although nothing is broken: " + stalled);
        }));
    }

    /** Requires that the ring reaches the size that was asked for, and that nobody changes it then. */
    private void requireWantedRing() {
        int wanted = faults.wantedRingSize();
        if (wanted == 0) {
            return;
        }
        SimulatedCluster.Operator operator = cluster.operator().orElseThrow();
        List<CompletableFuture<Void>> asked = new ArrayList<>();
        operator.scheduler().execute(() -> asked.add(operator.admin().resizeRing(wanted)));
        boolean came = simulation.runUntil(
                () -> asked.stream().anyMatch(CompletableFuture::isDone) && hasRing(wanted),
                RING_LIMIT_NANOS,
                LOOK_NANOS);
        require(
                came,
                "the ring does not come to its size of " + wanted
                        + (came
                                ? ""
                                : ": "
                                        + asked.stream()
                                                .map(a -> a.handle((x, f) -> String.valueOf(f))
                                                        .join())
                                                .toList() + newestRing()));
        simulation.runFor(RING_QUIET_NANOS);
        require(hasRing(wanted), "the ring has not the size of " + wanted + " that was asked for last");
    }

    private boolean hasRing(int size) {
        return newestRing()
                .filter(ring -> ring.expectedSize() == size && ring.members().size() == size)
                .isPresent();
    }

    private Optional<Ring> newestRing() {
        return cluster.superPeers().stream()
                .flatMap(machine -> machine.ring().stream())
                .max(Comparator.comparingLong(Ring::epoch));
    }

    private static List<Fault> chosen(FaultSchedule schedule, Set<Integer> ids) {
        List<Fault> all = new ArrayList<>(schedule.faults());
        all.addAll(schedule.reserve());
        return all.stream().filter(fault -> ids.contains(fault.id())).toList();
    }

    /** Works until all faults are over and clients have done enough. */
    private void work(List<Fault> chosen) {
        faults.schedule(chosen);
        long endNanos = chosen.stream().mapToLong(Fault::atNanos).max().orElse(0) + ROUND_NANOS;
        simulation.runFor(Math.max(endNanos, FaultSchedule.BUSY_NANOS));
        for (int round = 0;
                round < MOST_ROUNDS && (operations() < plan.operations() || faults.isAnyWaiting());
                round++) {
            simulation.runFor(ROUND_NANOS);
        }
    }

    /** Works like that, and round by round adds a fault of the reserve for each kind that has not taken effect. */
    private void work(FaultSchedule schedule) {
        long beganNanos = simulation.nowNanos();
        faults.schedule(schedule.faults());
        simulation.runFor(FaultSchedule.BUSY_NANOS);
        List<Fault> reserve = new ArrayList<>(schedule.reserve());
        for (int round = 0; round < MOST_ROUNDS && !isEnough(); round++) {
            long nowNanos = simulation.nowNanos() - beganNanos;
            reserve.stream()
                    .filter(fault -> fault.atNanos() >= nowNanos && fault.atNanos() < nowNanos + ROUND_NANOS)
                    .filter(fault -> faults.isWanted(fault.kind()))
                    .forEach(
                            fault -> simulation.after(fault.atNanos() - nowNanos, "fault", () -> faults.inject(fault)));
            simulation.runFor(ROUND_NANOS);
        }
    }

    private boolean isEnough() {
        return operations() >= plan.operations()
                && (plan.swarm()
                        ? !faults.isAnyWaiting()
                        : plan.kindsThatApply().stream().allMatch(faults::hasTakenEffect));
    }

    private int operations() {
        return cluster.history().clientOperations();
    }

    /**
     * At the end, when nothing is broken any more, requires a definite answer for every chunk whose disk is still
     * there: for a client that believes it knows where the chunk is, and for one that has to ask.
     */
    private void readEverything() {
        readEverything(cluster.clients().getFirst());
        readEverything(cluster.newClient("reader"));
    }

    private void readEverything(RecordingClient reader) {
        List<CompletableFuture<Operation>> reads = cids.stream()
                .distinct()
                .filter(cid -> !cluster.isGone(cid))
                .map(reader::read)
                .toList();
        requireWithinLimit(() -> reads.stream().allMatch(CompletableFuture::isDone), "a get does not end");
        List<Operation> unknown = reads.stream()
                .map(CompletableFuture::join)
                .filter(read -> read.outcome() == Operation.Outcome.UNKNOWN)
                .toList();
        require(
                unknown.isEmpty(),
                "gets have no answer although nothing is broken: " + unknown.size() + ", the first of them "
                        + unknown.subList(0, Math.min(unknown.size(), UNANSWERED_SHOWN)));
    }

    private void requireWithinLimit(BooleanSupplier condition, String problem) {
        require(simulation.runUntil(condition, IDLE_LIMIT_NANOS, LOOK_NANOS), problem);
    }

    private void require(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalStateException(problem + " in seed " + plan.seed());
        }
    }
}
