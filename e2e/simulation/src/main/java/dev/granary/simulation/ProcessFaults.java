package dev.granary.simulation;

import dev.granary.simulation.conditions.ScarceMemory;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Faults inside a process: its work throws, or its allocations fail. */
final class ProcessFaults {

    private static final int MOST_STEPS_PASSED = 20;
    private static final int MOST_STEPS_FAILED = 12;

    /**
     * The largest buffers that are still given. Memory for small ones was allocated long ago; 0 refuses those as well.
     */
    private static final int[] LARGEST_GIVEN_BYTES = {0, 256, 1 << 10, 4 << 10};

    private static final double SOME = 0.2;

    private final SimulatedCluster cluster;
    private final Simulation simulation;

    ProcessFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
    }

    /** Begins a fault of a process; the result tells whether it has taken effect. */
    BooleanSupplier begin(Fault fault) {
        return switch (fault.kind()) {
            case FAILED_ROUNDS -> failRounds(fault);
            case FAILED_STEPS -> failSteps(fault);
            case FAILED_ALLOCATION -> failAllocations(fault);
            case FAILED_BUFFERS -> failBuffers(fault);
            default -> throw new IllegalArgumentException(fault + " is not inside a process");
        };
    }

    private BooleanSupplier failRounds(Fault fault) {
        SimulatedNode node = cluster.nodeOf(fault.target());
        int before = node.failedRounds();
        node.failRounds((int) fault.amount());
        return () -> node.failedRounds() > before;
    }

    private BooleanSupplier failSteps(Fault fault) {
        SimulatedNode node = cluster.nodeOf(fault.target());
        int before = node.failedSteps();
        int amount = (int) fault.amount();
        node.failSteps(amount % MOST_STEPS_PASSED, 1 + amount / MOST_STEPS_PASSED % MOST_STEPS_FAILED);
        return () -> node.failedSteps() > before;
    }

    private BooleanSupplier failAllocations(Fault fault) {
        ScarceMemory memory = cluster.storagePeer(fault.target()).scarceMemory();
        cluster.keyHistory().roomMayLack();
        int before = memory.refusals();
        memory.refuse(fault.amount());
        simulation.after(fault.durationNanos(), "end of fault", memory::disarm);
        return () -> memory.refusals() > before;
    }

    private BooleanSupplier failBuffers(Fault fault) {
        SimulatedNode node = cluster.nodeOf(fault.target());
        int before = node.refusedBuffers();
        int amount = (int) fault.amount();
        double share = amount % 2 == 0 ? 1 : SOME;
        int largestGivenBytes = LARGEST_GIVEN_BYTES[amount / 2 % LARGEST_GIVEN_BYTES.length];
        node.failBuffers(new SplittableRandom(amount), share, largestGivenBytes);
        simulation.after(fault.durationNanos(), "end of fault", node::giveBuffers);
        return () -> node.refusedBuffers() > before;
    }
}
