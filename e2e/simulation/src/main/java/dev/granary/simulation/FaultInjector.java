package dev.granary.simulation;

import dev.granary.overlay.Nid;
import dev.granary.simulation.conditions.ClientHabits;
import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.SimulatedNetwork;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Begins the faults of a schedule, ends each after its time, and counts which have taken effect. */
final class FaultInjector {

    private static final long MILLI = 1_000_000;

    /**
     * The pause after which the injector tries again to begin a fault that must not begin while super-peers are lost.
     */
    private static final long WHILE_LOST_NANOS = 500 * MILLI;

    private static final LinkConditions LOSSY = new LinkConditions(50_000, 300_000, 0.05, 200 * MILLI, 0);
    private static final LinkConditions SLOW = new LinkConditions(1 * MILLI, 40 * MILLI, 0, 0, 0);
    private static final LinkConditions UNEVEN = new LinkConditions(50_000, 30 * MILLI, 0, 0, 0);

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final SimulatedNetwork network;
    private final MigrationFaults migrations;
    private final RingFaults rings;
    private final RingLosses losses;
    private final PlanFaults plans;
    private final LateAnswers lateAnswers;
    private final DiskFaults disks;
    private final ParkFaults parks;
    private final LinkFaults links;
    private final ProcessFaults processes;
    private final BackupFaults backups;
    private final RestoreFaults restores;
    private final ImpostorFaults impostors;
    private final FaultsInTurn inTurn;
    private final List<Fault> injected = new ArrayList<>();
    private final List<BooleanSupplier> effects = new ArrayList<>();
    private boolean stopped;

    /**
     * @param cids that clients know; the list grows
     */
    FaultInjector(SimulatedCluster cluster, List<Long> cids) {
        this.migrations = new MigrationFaults(cluster, cids);
        this.backups = new BackupFaults(cluster, cids);
        this.restores = new RestoreFaults(cluster, cids);
        this.impostors = new ImpostorFaults(cluster);
        this.rings = new RingFaults(cluster);
        this.plans = new PlanFaults(cluster);
        this.lateAnswers = new LateAnswers(cluster);
        this.disks = new DiskFaults(cluster);
        this.parks = new ParkFaults(cluster);
        this.links = new LinkFaults(cluster);
        this.processes = new ProcessFaults(cluster);
        this.losses = new RingLosses(cluster, rings);
        this.inTurn = new FaultsInTurn(cluster, this::begin, losses::isUnderWay);
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.network = simulation.network();
    }

    /** Begins each fault at its moment, counted from now. */
    void schedule(List<Fault> faults) {
        faults.forEach(fault -> simulation.after(fault.atNanos(), "fault", () -> inject(fault)));
    }

    /** Begins a fault now. */
    void inject(Fault fault) {
        if (!stopped && losses.isUnderWay() && fault.kind().mayEndStoragePeer()) {
            simulation.after(WHILE_LOST_NANOS, "fault", () -> inject(fault));
        } else if (!stopped) {
            simulation.note(fault.toString(), fault.id());
            injected.add(fault);
            effects.add(isInTurn(fault.kind()) ? inTurn.add(fault) : begin(fault));
        }
    }

    private boolean isInTurn(FaultKind kind) {
        return cluster.isReplicated() && kind.mayEndStoragePeer();
    }

    /** Begins nothing more. */
    void stop() {
        stopped = true;
        inTurn.stop();
        rings.stop();
    }

    /** Returns the ring size that was asked for last; 0 if none was. */
    int wantedRingSize() {
        return rings.wantedSize();
    }

    List<Fault> injected() {
        return List.copyOf(injected);
    }

    /** Returns by how many millionths a clock was fast or slow at most. */
    long mostDriftPpm() {
        return injected.stream()
                .filter(fault -> fault.kind() == FaultKind.CLOCK_DRIFT)
                .mapToLong(fault -> Math.abs(fault.amount()))
                .max()
                .orElse(0);
    }

    /** Returns how many faults of each kind have taken effect so far. */
    Map<FaultKind, Integer> tookEffect() {
        Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
        for (int i = 0; i < injected.size(); i++) {
            counts.merge(injected.get(i).kind(), effects.get(i).getAsBoolean() ? 1 : 0, Integer::sum);
        }
        return counts;
    }

    /** Whether another fault of a kind is of use: none has taken effect, and none waits for its turn. */
    boolean isWanted(FaultKind kind) {
        return !hasTakenEffect(kind) && !inTurn.isWaiting(kind);
    }

    /** Whether an injected fault still waits for its turn, or something that a fault took away is still missing. */
    boolean isAnyWaiting() {
        return inTurn.isAnyWaiting() || losses.isUnderWay();
    }

    /** Returns for how long faults that have had their turn may still do something. */
    long underWayNanos() {
        return inTurn.underWayNanos();
    }

    /** Whether no cluster backup is being read and none is being restored. */
    boolean backupsAreIdle() {
        return backups.isIdle() && restores.isIdle();
    }

    /** Returns what nodes have not refused to impostors. */
    List<String> believedOfImpostors() {
        return impostors.believed();
    }

    boolean hasTakenEffect(FaultKind kind) {
        return tookEffect().getOrDefault(kind, 0) > 0;
    }

    private BooleanSupplier begin(Fault fault) {
        return switch (fault.kind()) {
            case LOSS -> degrade(fault, LOSSY, network::stalls);
            case DELAY -> degrade(fault, SLOW, network::slowFrames);
            case REORDER -> degrade(fault, UNEVEN, network::overtakings);
            case DUPLICATE,
                    RESET,
                    PARTITION,
                    ONE_WAY_PARTITION,
                    PEER_PARTITION,
                    SUPER_PEER_PARTITION,
                    STALLED_CONNECTION,
                    LATE_RETRANSMISSION,
                    HALF_OPEN_CONNECTION -> links.begin(fault);
            case CRASH_PEER, RESTART_IN_LEASE, CRASH_SUPER_PEER, CRASH_WHILE_DEGRADED -> crash(fault, false);
            case POWER_OFF_PEER, POWER_OFF_SUPER_PEER -> crash(fault, true);
            case PAUSE -> pause(fault);
            case SUSPEND -> suspend(fault);
            case FAILED_ROUNDS, FAILED_STEPS, FAILED_ALLOCATION, FAILED_BUFFERS -> processes.begin(fault);
            case PARK -> parks.begin(fault);
            case PAUSE_IN_TASK -> pauseInTask(fault);
            case CLOCK_DRIFT -> drift(fault);
            case LOST_DISK -> loseDisk(fault);
            case TWIN -> startTwin(fault);
            case DURABILITIES -> mixDurability(fault);
            case LARGE_WORK -> enlargeWork(fault);
            case BACKUP -> backups.begin(fault);
            case RESTORE -> restores.begin(fault);
            case IMPOSTOR -> impostors.begin(fault);
            case RESIZE_RING -> rings.resize(fault);
            case LOST_SUPER_PEER -> rings.lose(fault);
            case LOST_RING -> losses.loseRing(fault);
            case LOST_ARC -> losses.loseArc(fault);
            case DRAIN, SPREAD -> plans.begin(fault);
            case CRASH_TWO_PEERS -> crashTwo(fault, 0);
            case CRASH_RECOVERER -> crashTwo(fault, fault.amount());
            case CRASH_COORDINATOR -> crashWithCoordinator(fault);
            case POWER_LOSS -> loseAllPower(fault);
            case CRASH_ALL_PEERS -> crashAll(fault);
            case LATE_ANSWERS -> lateAnswers.begin(fault);
            case TORN_WRITE,
                    FAILED_SYNC,
                    FAILED_SYNC_PEER,
                    FULL_DISK,
                    FULL_DISK_SUPER_PEER,
                    SLOW_DISK,
                    SLOW_DISK_SUPER_PEER,
                    FAILED_READ,
                    FAILED_READ_SUPER_PEER,
                    FLIPPED_BIT -> disks.begin(fault);
            case MIGRATE_RANGE,
                    MIGRATE_CHUNK,
                    MUTE_MIGRATION,
                    CRASH_MIGRATION_SOURCE,
                    CRASH_MIGRATION_TARGET,
                    CRASH_MIGRATION_SUPER_PEER -> migrations.begin(fault);
        };
    }

    private static BooleanSupplier always(boolean effect) {
        return () -> effect;
    }

    private SimulatedNode node(String name) {
        return cluster.nodeOf(name);
    }

    /** Makes all links bad for a while. If two such faults overlap, the later one counts. */
    private BooleanSupplier degrade(Fault fault, LinkConditions conditions, LongSupplier counter) {
        long before = counter.getAsLong();
        network.setConditions(conditions);
        simulation.after(fault.durationNanos(), "end of fault", () -> network.setConditions(LinkConditions.GOOD));
        return () -> counter.getAsLong() > before;
    }

    private BooleanSupplier mixDurability(Fault fault) {
        ClientHabits habits = cluster.habits();
        int before = habits.unusual();
        habits.mixDurability(true);
        simulation.after(fault.durationNanos(), "end of fault", () -> habits.mixDurability(false));
        return () -> habits.unusual() > before;
    }

    private BooleanSupplier enlargeWork(Fault fault) {
        ClientHabits habits = cluster.habits();
        int before = habits.large();
        habits.workLarge(true);
        simulation.after(fault.durationNanos(), "end of fault", () -> habits.workLarge(false));
        return () -> habits.large() > before;
    }

    private BooleanSupplier crash(Fault fault, boolean power) {
        Machine machine = cluster.machine(fault.target());
        boolean effect = fault.kind() == FaultKind.RESTART_IN_LEASE
                ? machine.isReady()
                : machine.node().isRunning();
        if (power) {
            machine.powerOff();
        } else {
            machine.kill();
        }
        startLater(machine, fault.durationNanos());
        return always(effect);
    }

    private BooleanSupplier crashTwo(Fault fault, long laterNanos) {
        BooleanSupplier first = crash(fault, false);
        List<BooleanSupplier> second = new ArrayList<>();
        Machine other = cluster.machine(fault.other());
        simulation.after(laterNanos, "kill the next one", () -> second.add(crashNow(other, fault.durationNanos())));
        return () -> first.getAsBoolean() && second.stream().anyMatch(BooleanSupplier::getAsBoolean);
    }

    private BooleanSupplier crashNow(Machine machine, long downNanos) {
        boolean running = machine.node().isRunning();
        machine.kill();
        startLater(machine, downNanos);
        return always(running);
    }

    private BooleanSupplier crashWithCoordinator(Fault fault) {
        int nid = cluster.storagePeer(fault.target()).lastNid();
        if (nid == Nid.NONE) {
            return always(false); // its disk was lost, and it has no lease yet whose end a super-peer coordinates
        }
        BooleanSupplier peer = crash(fault, false);
        List<BooleanSupplier> superPeer = new ArrayList<>();
        simulation.after(fault.amount(), "kill the coordinator", () -> cluster.superPeerOf(nid)
                .ifPresent(machine -> superPeer.add(crashNow(machine, fault.durationNanos()))));
        return () -> peer.getAsBoolean() && superPeer.stream().anyMatch(BooleanSupplier::getAsBoolean);
    }

    private BooleanSupplier loseAllPower(Fault fault) {
        cluster.loseAllPower(fault.durationNanos());
        return always(true);
    }

    private BooleanSupplier crashAll(Fault fault) {
        boolean allRan = cluster.storagePeersAreReady();
        cluster.loseStoragePeers(fault.id(), fault.amount(), fault.amount() % 2 == 0, fault.durationNanos());
        return always(allRan);
    }

    private void startLater(Machine machine, long afterNanos) {
        simulation.after(afterNanos, "start " + machine.name(), machine::startIfDown);
    }

    private BooleanSupplier pause(Fault fault) {
        SimulatedNode node = node(fault.target());
        boolean running = node.isRunning();
        node.pause(fault.durationNanos());
        return always(running);
    }

    private BooleanSupplier suspend(Fault fault) {
        SimulatedNode node = node(fault.target());
        boolean running = node.isRunning();
        node.suspend(fault.durationNanos());
        return always(running);
    }

    private BooleanSupplier pauseInTask(Fault fault) {
        SimulatedNode node = node(fault.target());
        int before = node.stalls();
        node.pauseAfterClockReads((int) fault.amount(), fault.durationNanos());
        return () -> node.stalls() > before;
    }

    private BooleanSupplier drift(Fault fault) {
        node(fault.target()).setDrift(fault.amount());
        return always(node(fault.target()).isRunning());
    }

    private BooleanSupplier loseDisk(Fault fault) {
        StorageMachine machine = cluster.storagePeer(fault.target());
        boolean running = machine.node().isRunning();
        cluster.loseDisk(machine);
        startLater(machine, fault.durationNanos());
        return always(running);
    }

    private BooleanSupplier startTwin(Fault fault) {
        StorageMachine old = cluster.storagePeer(fault.target());
        boolean running = old.node().isRunning();
        cluster.superPeers().forEach(superPeer -> network.cutBoth(superPeer.name(), old.name()));
        cluster.replaceByTwin(fault.target()).start();
        simulation.after(fault.durationNanos(), "end of " + old.name(), () -> {
            old.kill();
            cluster.superPeers().forEach(superPeer -> {
                network.heal(superPeer.name(), old.name());
                network.heal(old.name(), superPeer.name());
            });
        });
        return always(running);
    }
}
