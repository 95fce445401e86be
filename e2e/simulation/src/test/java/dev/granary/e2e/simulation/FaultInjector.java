package dev.granary.e2e.simulation;

import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Breaks something of a cluster every now and then, at random, and mends it after a while. */
final class FaultInjector {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    /** Leases allow clocks to run apart by one percent: two that drift by this stay within it. */
    private static final long MAX_DRIFT_PPM = 4_000;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final RandomGenerator random;
    private final TreeMap<String, Integer> counts = new TreeMap<>();
    private boolean stopped;

    FaultInjector(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.random = simulation.random("faults");
    }

    void start() {
        simulation.after(random.nextLong(100 * MILLI, 1_500 * MILLI), "fault", () -> {
            if (!stopped) {
                breakSomething();
                start();
            }
        });
    }

    void stop() {
        stopped = true;
    }

    /** How many faults of each kind there were. */
    List<String> summary() {
        List<String> lines = new ArrayList<>();
        counts.forEach((kind, count) -> lines.add(kind + " " + count));
        return lines;
    }

    private void breakSomething() {
        switch (random.nextInt(12)) {
            case 0 -> cut(false);
            case 1 -> cut(true);
            case 2 -> reset();
            case 3, 4 -> pause();
            case 5 -> pauseInsideTask();
            case 6 -> kill(anyStoragePeer(), "kill storage peer");
            case 7 -> powerOff(anyStoragePeer(), "power off storage peer");
            case 8 -> kill(anySuperPeer(), "kill super-peer");
            case 9 -> powerOff(anySuperPeer(), "power off super-peer");
            case 10 -> drift();
            default -> badNetworkOrDisk();
        }
    }

    private void count(String kind) {
        counts.merge(kind, 1, Integer::sum);
    }

    private Machine anyStoragePeer() {
        List<StorageMachine> machines = cluster.storagePeers();
        return machines.get(random.nextInt(machines.size()));
    }

    private Machine anySuperPeer() {
        List<SuperPeerMachine> machines = cluster.superPeers();
        return machines.get(random.nextInt(machines.size()));
    }

    private SimulatedNode anyNode() {
        List<SimulatedNode> nodes = simulation.nodes();
        return nodes.get(random.nextInt(nodes.size()));
    }

    private void cut(boolean bothWays) {
        String from = anyNode().name();
        String to = anyNode().name();
        count(bothWays ? "partition both ways" : "partition one way");
        simulation.network().cut(from, to);
        if (bothWays) {
            simulation.network().cut(to, from);
        }
        simulation.after(random.nextLong(50 * MILLI, 4 * SECOND), "heal", () -> simulation
                .network()
                .healAll());
    }

    private void reset() {
        count("reset connections");
        simulation.network().resetConnections(anyNode().name(), anyNode().name());
    }

    private void pause() {
        count("pause");
        anyNode().pause(random.nextLong(5 * MILLI, 3 * SECOND));
    }

    private void pauseInsideTask() {
        count("pause inside a task");
        anyNode().pauseAfterClockReads(1 + random.nextInt(5), random.nextLong(5 * MILLI, 3 * SECOND));
    }

    private void kill(Machine machine, String kind) {
        count(kind);
        machine.kill();
        restartLater(machine);
    }

    private void powerOff(Machine machine, String kind) {
        count(kind);
        machine.powerOff();
        restartLater(machine);
    }

    private void restartLater(Machine machine) {
        long afterNanos = random.nextBoolean() ? random.nextLong(20 * MILLI) : random.nextLong(3 * SECOND);
        simulation.after(afterNanos, "start " + machine.name(), machine::startIfDown);
    }

    private void drift() {
        count("clock drift");
        anyNode().setDrift(random.nextLong(-MAX_DRIFT_PPM, MAX_DRIFT_PPM + 1));
    }

    private void badNetworkOrDisk() {
        if (random.nextInt(3) == 0) {
            count("failing sync");
            anySuperPeer().node().disk().failSyncAfter(random.nextInt(3));
            return;
        }
        count("bad network");
        simulation.network().setConditions(LinkConditions.BAD);
        simulation.after(random.nextLong(SECOND, 3 * SECOND), "good network", () -> simulation
                .network()
                .setConditions(LinkConditions.GOOD));
    }
}
