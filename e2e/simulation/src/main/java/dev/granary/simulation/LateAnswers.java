package dev.granary.simulation;

import dev.granary.testkit.SimulatedNetwork;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Holds up the answers of the others to one storage peer, those of each for another time, and then kills this peer. So
 * the difference between what it believes of its backups and what they have is as large as it can be.
 */
final class LateAnswers {

    private static final long MILLI = 1_000_000;

    /** The last moment at which the answers of a node begin to come late. */
    private static final long LAST_BEGIN_NANOS = 400 * MILLI;

    /**
     * The shortest and the longest time for which answers come late. A backup counts as dead after less than the
     * longest.
     */
    private static final long SHORTEST_NANOS = 50 * MILLI;

    private static final long LONGEST_NANOS = 600 * MILLI;

    /** The first and the last moment at which the storage peer that gets the late answers is killed. */
    private static final long FIRST_KILL_NANOS = 350 * MILLI;

    private static final long LAST_KILL_NANOS = 800 * MILLI;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final SimulatedNetwork network;

    LateAnswers(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.network = simulation.network();
    }

    /**
     * Begins the fault; the result tells whether an answer was held up and the storage peer ran until it was killed.
     */
    BooleanSupplier begin(Fault fault) {
        Machine owner = cluster.machine(fault.target());
        List<String> others = cluster.storagePeers().stream()
                .filter(machine -> machine != owner)
                .map(Machine::name)
                .toList();
        RandomGenerator random = new SplittableRandom(fault.amount());
        int before = heldUp(others, owner);
        for (String other : others) {
            long fromNanos = random.nextLong(LAST_BEGIN_NANOS);
            long untilNanos = fromNanos + random.nextLong(SHORTEST_NANOS, LONGEST_NANOS);
            simulation.after(fromNanos, "late answers", () -> network.cut(other, owner.name()));
            simulation.after(untilNanos, "end of fault", () -> network.heal(other, owner.name()));
        }
        List<Boolean> ran = new ArrayList<>();
        simulation.after(random.nextLong(FIRST_KILL_NANOS, LAST_KILL_NANOS), "kill " + owner.name(), () -> {
            ran.add(owner.node().isRunning());
            owner.kill();
            simulation.after(fault.durationNanos(), "start " + owner.name(), owner::startIfDown);
        });
        return () -> ran.contains(true) && heldUp(others, owner) > before;
    }

    private int heldUp(List<String> others, Machine owner) {
        return others.stream()
                .mapToInt(other -> network.blocked(other, owner.name()))
                .sum();
    }
}
