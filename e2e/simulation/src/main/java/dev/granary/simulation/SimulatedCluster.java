package dev.granary.simulation;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ClientOptions;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.internal.ConnectedClient;
import dev.granary.env.Scheduler;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.NodePorts;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.simulation.check.ZoneViews;
import dev.granary.simulation.conditions.ClientHabits;
import dev.granary.simulation.conditions.Tuning;
import dev.granary.testkit.History;
import dev.granary.testkit.KeyHistory;
import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.Operation;
import dev.granary.testkit.Promise;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Super-peers, storage peers and clients on simulated machines, and the history of what the clients saw. */
final class SimulatedCluster implements AutoCloseable {

    static final int SUPER_PEER_PORT = 7400;
    static final int STORAGE_PORT = 7500;

    /** How many copies a zone has when there are enough storage peers. */
    static final int COPIES = 3;

    /** The secret of its nodes and its operator. */
    static final ClusterSecret SECRET = ClusterSecret.of("the secret of the simulated cluster");

    private static final int LEAST_COPIES = 2;

    private static final long LOOK_NANOS = 1_000_000;
    private static final long READY_LIMIT_NANOS = 60_000_000_000L;

    private final Simulation simulation;
    private final ClusterShape shape;
    private final History history;
    private final List<HostAddress> seeds;
    private final TreeMap<String, SuperPeerMachine> superPeers = new TreeMap<>();
    private final TreeMap<String, StorageMachine> storagePeers = new TreeMap<>();
    private final List<RecordingClient> clients = new ArrayList<>();
    private final RecordingClient.Values values = new RecordingClient.Values();
    private final ClientHabits habits = new ClientHabits();
    private boolean superPeersWereLost;
    private final KeyHistory keyHistory;
    private final OwnerDeaths deaths;
    private Supplier<Runnable> superPeersLost = () -> () -> {};
    private @Nullable Operator operator;

    /** The zones that a person has had recovered without the backups whose disks are lost. */
    private final Set<Integer> givenUp = new TreeSet<>();

    private final List<Machine> replaced = new ArrayList<>();

    /** Makes a cluster in which nothing runs yet. */
    SimulatedCluster(long seed, ClusterShape shape) {
        this.simulation = new Simulation(seed);
        this.shape = shape;
        this.history = new History(simulation::nowNanos);
        this.keyHistory = new KeyHistory(simulation::nowNanos);
        this.deaths = new OwnerDeaths(history, keyHistory, shape.replicated(), habits::mayBeAsync);
        this.seeds = IntStream.range(0, shape.superPeers())
                .mapToObj(i -> new HostAddress("super-" + i, SUPER_PEER_PORT))
                .toList();
        for (int i = 0; i < shape.superPeers(); i++) {
            String name = "super-" + i;
            superPeers.put(name, new SuperPeerMachine(simulation, name, i == 0, shape, seeds));
        }
        for (int i = 0; i < shape.storagePeers(); i++) {
            addStoragePeer("storage-" + i);
        }
    }

    Simulation simulation() {
        return simulation;
    }

    History history() {
        return history;
    }

    KeyHistory keyHistory() {
        return keyHistory;
    }

    ClusterShape shape() {
        return shape;
    }

    List<SuperPeerMachine> superPeers() {
        return List.copyOf(superPeers.values());
    }

    List<StorageMachine> storagePeers() {
        return List.copyOf(storagePeers.values());
    }

    boolean believesImpostors() {
        return shape.impostorsBelieved();
    }

    List<RecordingClient> clients() {
        return clients;
    }

    ClientHabits habits() {
        return habits;
    }

    RecordingClient.Values values() {
        return values;
    }

    /**
     * Whether super-peers were rebuilt: they do not know a storage peer that did not answer then until it comes back.
     */
    boolean mayHaveForgottenPeers() {
        return superPeersWereLost;
    }

    /** Whether an acknowledged chunk may be lost with the storage peer that served it. */
    boolean mayBeLost(long cid) {
        return !isReplicated() || superPeersWereLost || habits.mayBeAsync(cid) || isGone(cid);
    }

    /** Adds a machine for a storage peer, on which nothing runs yet. */
    StorageMachine addStoragePeer(String name) {
        StorageMachine machine = new StorageMachine(simulation, name, shape, seeds, deaths);
        storagePeers.put(name, machine);
        return machine;
    }

    /** Starts everything and waits until it is ready. */
    void start() {
        superPeers.values().forEach(Machine::start);
        storagePeers.values().forEach(Machine::start);
        for (int i = 0; i < shape.clients(); i++) {
            startClient("client-" + i);
        }
        startOperator();
        require(
                simulation.runUntil(
                        () -> clients.size() == shape.clients() && isReady(), READY_LIMIT_NANOS, LOOK_NANOS),
                "the cluster does not become ready");
    }

    /** Whether every machine runs and is ready. */
    boolean isReady() {
        return superPeers.values().stream().allMatch(Machine::isReady) && storagePeersAreReady();
    }

    /** Whether storage peers have copies of all names. */
    boolean namesAreSaved() {
        return superPeers.values().stream().allMatch(SuperPeerMachine::namesAreSaved);
    }

    /** Whether every storage peer has a lease. */
    boolean storagePeersAreReady() {
        return storagePeers.values().stream().allMatch(Machine::isReady);
    }

    private List<String> notReady() {
        List<Machine> all = new ArrayList<>(superPeers.values());
        all.addAll(storagePeers.values());
        return all.stream()
                .filter(machine -> !machine.isReady())
                .map(Machine::toString)
                .toList();
    }

    /** Ends all faults, starts what is down, and waits until everything is ready again. */
    void recover() {
        simulation.network().healAll();
        simulation.network().disarm();
        simulation.network().setConditions(LinkConditions.GOOD);
        simulation.nodes().forEach(node -> {
            node.pauseAfterClockReads(0, 0);
            node.failRounds(0);
            node.failSteps(0, 0);
            node.giveBuffers();
            node.disk().disarm();
        });
        storagePeers.values().forEach(machine -> machine.scarceMemory().disarm());
        replaced.forEach(Machine::kill);
        superPeers.values().forEach(Machine::startIfDown);
        storagePeers.values().forEach(Machine::startIfDown);
        boolean ready = simulation.runUntil(this::isReady, READY_LIMIT_NANOS, LOOK_NANOS);
        require(ready, "the cluster does not become ready again: " + (ready ? "" : notReady()));
    }

    private void require(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalStateException(problem + " in seed " + simulation.seed());
        }
    }

    /** Returns the machine that a name of a schedule stands for at present. */
    Machine machine(String name) {
        return storagePeers.containsKey(name) ? storagePeer(name) : Objects.requireNonNull(superPeers.get(name), name);
    }

    StorageMachine storagePeer(String name) {
        return Objects.requireNonNull(storagePeers.get(name), name);
    }

    /** Returns the node that a name of a schedule stands for at present. */
    SimulatedNode nodeOf(String name) {
        return storagePeers.containsKey(name) || superPeers.containsKey(name)
                ? machine(name).node()
                : simulation.node(name);
    }

    /**
     * Lets a machine with a copy of a storage peer's disk take its place; the old one is not started again once dead.
     */
    StorageMachine replaceByTwin(String name) {
        int nid = storagePeer(name).lastNid();
        StorageMachine twin = inPlaceOf(name, "-twin-");
        if (nid != Nid.NONE) {
            deaths.replacing(nid);
        }
        return twin;
    }

    /** Kills a super-peer together with its disk; one with an empty disk, another name and another address starts. */
    void replaceForGood(String name) {
        Machine old = machine(name);
        old.retire();
        old.powerOff();
        replaced.add(old);
        SuperPeerMachine newcomer = new SuperPeerMachine(
                simulation, name + "-new-" + replaced.size(), shape.newcomersFound(), shape, seeds);
        superPeers.put(name, newcomer);
        newcomer.start();
    }

    /**
     * Kills super-peers together with their disks. After a while others start at their addresses with empty disks;
     * these do not found a cluster.
     *
     * @return to be called when everything that they knew is there again
     */
    Runnable loseSuperPeers(List<String> names, long afterNanos) {
        superPeersWereLost = true;
        for (String name : names) {
            Machine old = machine(name);
            old.retire();
            old.powerOff();
            old.node().disk().replace();
            SuperPeerMachine next = new SuperPeerMachine(simulation, old.name(), shape.newcomersFound(), shape, seeds);
            superPeers.put(name, next);
            simulation.after(afterNanos, "start " + name, next::startIfDown);
        }
        return superPeersLost.get();
    }

    /**
     * Has somebody called when super-peers lose their state.
     *
     * @param told is called then, and returns what is called when the state is rebuilt
     */
    void whenSuperPeersAreLost(Supplier<Runnable> told) {
        superPeersLost = told;
    }

    /** Returns the names that schedules use for storage peers, whichever machines stand for them at present. */
    List<String> storagePeerNames() {
        return List.copyOf(storagePeers.keySet());
    }

    /** Returns the names that schedules use for super-peers. */
    List<String> superPeerNames() {
        return List.copyOf(superPeers.keySet());
    }

    /** Returns the address of the first super-peer. */
    HostAddress firstSuperPeer() {
        return new HostAddress(superPeers.firstEntry().getValue().name(), SUPER_PEER_PORT);
    }

    /** Returns the states of the zones in words, as far as the super-peers that serve them tell. */
    String zonesInWords() {
        return superPeers.values().stream()
                .map(machine -> machine.name()
                        + machine.zones()
                                .map(status -> ": %d in sync, %d degraded, %d recovering, %d lost"
                                        .formatted(
                                                status.inSync(), status.degraded(), status.recovering(), status.lost()))
                                .orElse(": down"))
                .collect(Collectors.joining("; "));
    }

    /** Whether chunks have copies. */
    boolean isReplicated() {
        return shape.replicated();
    }

    /** Whether a super-peer serves each arc of the ring; nobody reports on the zones of an unserved arc. */
    private boolean allArcsAreServed() {
        Set<Integer> served = new TreeSet<>();
        superPeers.values().forEach(machine -> served.addAll(machine.servedArcs()));
        return superPeers.values().stream()
                .flatMap(machine -> machine.ring().stream())
                .max(Comparator.comparingLong(Ring::epoch))
                .filter(ring -> ring.members().stream().allMatch(member -> served.contains(member.nid())))
                .isPresent();
    }

    /** Returns in words what owners of zones do otherwise than their arcs have committed. */
    List<String> zoneDifferences() {
        Map<String, List<Placement>> placements = new TreeMap<>();
        superPeers.values().forEach(machine -> placements.put(machine.name(), machine.placements()));
        Map<Integer, Map<Integer, Set<Integer>>> backups = new TreeMap<>();
        storagePeers.values().forEach(machine -> backups.put(machine.nid(), machine.backupsByZone()));
        return ZoneViews.differences(placements, backups);
    }

    /**
     * Whether super-peers report every zone with as many copies as wanted. That is at least two, also when only two of
     * five storage peers are left.
     */
    boolean copiesAreInSync() {
        if (!allArcsAreServed()) {
            return false;
        }
        int zones = 0;
        int copies = 0;
        for (SuperPeerMachine machine : superPeers.values()) {
            ZoneStatus status = machine.zones().orElse(null);
            // A lost zone stays lost; the history tells whether chunks were lost that must not be.
            if (status != null && status.degraded() + status.recovering() > 0) {
                return false;
            }
            zones += status == null ? 0 : status.inSync();
            copies += status == null
                    ? 0
                    : status.peers().stream()
                            .mapToInt(ZoneStatus.Holding::copies)
                            .sum();
        }
        return zones >= storagePeers.size() && copies >= zones * Math.min(LEAST_COPIES, storagePeers.size() - 1);
    }

    /**
     * Cuts the power of all machines but those of clients at one moment. Where chunks have copies, whatever was not
     * synced may be gone with all that came after it; storage peers come back under other addresses.
     *
     * @param offNanos how long they are off
     */
    void loseAllPower(long offNanos) {
        Optional<Operation> rollback =
                isReplicated() ? Optional.of(history.rollback(Promise.SYNCED, cid -> true)) : Optional.empty();
        KeyHistory.Loss keyLoss = keyHistory.rollback();
        superPeers.values().forEach(Machine::powerOff);
        storagePeers.values().forEach(Machine::powerOff);
        rollback.ifPresent(Operation::done);
        keyLoss.done();
        simulation.after(offNanos, "the power is back", () -> {
            superPeers.values().forEach(Machine::startIfDown);
            List.copyOf(storagePeers.keySet()).forEach(this::moveToAnotherAddress);
        });
    }

    /**
     * Ends all storage peers one after the other; they come back when the last one has ended. Where chunks have copies,
     * whatever was not synced may be gone with all that came after it.
     *
     * @param first the index of the storage peer that ends first
     * @param overNanos how much later the last one ends
     * @param power whether they lose their power; otherwise their processes are killed
     * @param offNanos how long the last one is off
     */
    void loseStoragePeers(int first, long overNanos, boolean power, long offNanos) {
        Optional<Operation> rollback =
                isReplicated() ? Optional.of(history.rollback(Promise.SYNCED, cid -> true)) : Optional.empty();
        KeyHistory.Loss keyLoss = keyHistory.rollback();
        List<String> names = List.copyOf(storagePeers.keySet());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get((first + i) % names.size());
            long afterNanos = names.size() == 1 ? 0 : overNanos * i / (names.size() - 1);
            simulation.after(afterNanos, "end of " + name, () -> end(machine(name), power));
        }
        simulation.after(overNanos, "all storage peers are gone", () -> {
            rollback.ifPresent(Operation::done);
            keyLoss.done();
            simulation.after(offNanos, "storage peers come back", () -> storagePeers
                    .values()
                    .forEach(Machine::startIfDown));
        });
    }

    private static void end(Machine machine, boolean power) {
        if (power) {
            machine.powerOff();
        } else {
            machine.kill();
        }
    }

    private void moveToAnotherAddress(String name) {
        StorageMachine old = storagePeer(name);
        if (!old.node().isRunning()) {
            StorageMachine moved = inPlaceOf(name, "-moved-");
            moved.start();
        }
    }

    private StorageMachine inPlaceOf(String name, String mark) {
        StorageMachine old = storagePeer(name);
        old.retire();
        replaced.add(old);
        StorageMachine next = new StorageMachine(simulation, name + mark + replaced.size(), shape, seeds, deaths);
        next.node().disk().copyFrom(old.node().disk());
        next.inheritNid(old);
        storagePeers.put(name, next);
        return next;
    }

    /** Returns the ids of the clusters to which the disks of processes belong; one id if all is well. */
    Set<String> clusterIds() {
        return Stream.concat(superPeers.values().stream(), storagePeers.values().stream())
                .flatMap(machine -> machine.clusterId().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Cuts a machine's power; its disk is empty when it comes back. */
    void loseDisk(StorageMachine machine) {
        int nid = machine.lastNid();
        machine.powerOff();
        machine.node().disk().replace();
        if (nid != Nid.NONE) {
            deaths.diskLost(nid);
            machine.forgetNid();
        }
    }

    /** Whether nobody can say any more what became of a chunk: the disk of its creator or owner is lost. */
    boolean isGone(long cid) {
        return deaths.isGone(cid);
    }

    /** Frees the memory outside the heap. */
    @Override
    public void close() {
        superPeers.values().forEach(Machine::kill);
        storagePeers.values().forEach(Machine::kill);
        replaced.forEach(Machine::kill);
    }

    /** Returns the operator, who has chunks moved; empty until its machine has started. */
    Optional<Operator> operator() {
        return Optional.ofNullable(operator);
    }

    /** A client for work on the cluster, one for requests that clients never send, and the scheduler of their tasks. */
    record Operator(AsyncGranaryClient client, AsyncClusterAdmin admin, RpcClient rpc, Scheduler scheduler) {}

    /** Returns the super-peer that is responsible for a NID, according to a super-peer that is ready. */
    Optional<SuperPeerMachine> superPeerOf(int nid) {
        return superPeers.values().stream()
                .filter(Machine::isReady)
                .findFirst()
                .flatMap(ready -> ready.responsibleFor(nid))
                .flatMap(name -> superPeers.values().stream()
                        .filter(machine -> machine.name().equals(name))
                        .findFirst());
    }

    /**
     * Does what a person does when recoveries wait for backups whose disks are lost: gives these up, once for each
     * zone. Returns whether there was such a zone.
     */
    boolean giveUpLostBackups() {
        Set<Integer> present =
                storagePeers.values().stream().map(StorageMachine::lastNid).collect(Collectors.toSet());
        List<Integer> waiting = superPeers.values().stream()
                .flatMap(machine -> machine.zones().stream())
                .flatMap(status -> status.recoveries().stream())
                .filter(recovery ->
                        !recovery.waitingFor().isEmpty() && Collections.disjoint(recovery.waitingFor(), present))
                .map(ZoneStatus.Recovery::zone)
                .filter(givenUp::add)
                .toList();
        operator()
                .ifPresent(person -> waiting.forEach(zone -> person.scheduler().execute(() -> {
                    var _ = person.admin().recoverZone(zone);
                })));
        return operator != null && !waiting.isEmpty();
    }

    private void startOperator() {
        simulation.node("operator").start(world -> {
            Credentials credentials = Credentials.of(SECRET, world.environment().random());
            AsyncGranaryClient client = new ConnectedClient(
                    world.environment().clock(),
                    world.environment().scheduler(),
                    world.environment().random(),
                    world.transport(),
                    options(),
                    credentials);
            RpcClient rpc = new RpcClient(
                    world.transport(),
                    world.environment().clock(),
                    world.environment().scheduler(),
                    new RpcIdentity(NodeRole.CLIENT, 0, credentials),
                    NodePorts.ofClient(shape.ports().admin()));
            operator = new Operator(
                    client,
                    AsyncClusterAdmin.of(client),
                    rpc,
                    world.environment().scheduler());
        });
    }

    private ClientOptions options() {
        Tuning tuning = shape.tuning();
        return ClientOptions.builder()
                .addresses(seeds.stream().map(HostAddress::toString).toList())
                .adminPort(shape.ports().admin())
                .deadline(Duration.ofSeconds(4))
                .batchDeadline(Duration.ofSeconds(4))
                .attemptTimeout(tuning.attempt())
                .requestBytes(tuning.requestBytes())
                .requestChunks(tuning.requestChunks())
                .requestsInFlight(tuning.requestsInFlight())
                .build();
    }

    /** Makes a client that has asked for nothing yet. */
    RecordingClient newClient(String name) {
        int before = clients.size();
        startClient(name);
        require(simulation.runUntil(() -> clients.size() > before, READY_LIMIT_NANOS), name + " does not start");
        return clients.getLast();
    }

    private void startClient(String name) {
        ClientOptions options = options();
        simulation.node(name).start(world -> {
            AsyncGranaryClient client = new ConnectedClient(
                    world.environment().clock(),
                    world.environment().scheduler(),
                    world.environment().random(),
                    world.transport(),
                    options);
            clients.add(new RecordingClient(name, client, this, simulation.random("payloads of " + name)));
        });
    }
}
