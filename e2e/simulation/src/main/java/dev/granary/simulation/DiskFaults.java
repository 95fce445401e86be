package dev.granary.simulation;

import dev.granary.testkit.SimulatedDisk;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;

/** Faults of disks, and of machines while they write. */
final class DiskFaults {

    private final SimulatedCluster cluster;
    private final Simulation simulation;

    DiskFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
    }

    /** Begins a fault of a disk; the result tells whether it has taken effect. */
    BooleanSupplier begin(Fault fault) {
        return switch (fault.kind()) {
            case TORN_WRITE -> tearWrite(fault);
            case FAILED_SYNC, FAILED_SYNC_PEER -> failSync(fault);
            case FULL_DISK, FULL_DISK_SUPER_PEER -> fill(fault);
            case SLOW_DISK, SLOW_DISK_SUPER_PEER -> slowDown(fault);
            case FAILED_READ, FAILED_READ_SUPER_PEER -> failReads(fault);
            case FLIPPED_BIT -> flipBit(fault);
            default -> throw new IllegalArgumentException(fault + " is not about a disk");
        };
    }

    private SimulatedDisk disk(Fault fault) {
        return cluster.nodeOf(fault.target()).disk();
    }

    private static BooleanSupplier rises(IntSupplier counter) {
        int before = counter.getAsInt();
        return () -> counter.getAsInt() > before;
    }

    private BooleanSupplier tearWrite(Fault fault) {
        Machine machine = cluster.machine(fault.target());
        SimulatedDisk disk = machine.node().disk();
        BooleanSupplier effect = rises(disk::forgettings);
        disk.beforeNextSync(() -> {
            machine.powerOff();
            startLater(machine, fault.durationNanos());
        });
        restart(fault.other());
        return effect;
    }

    private BooleanSupplier failSync(Fault fault) {
        SimulatedDisk disk = disk(fault);
        BooleanSupplier effect = rises(disk::failedSyncs);
        disk.failSyncAfter((int) fault.amount());
        restart(fault.other());
        if (fault.kind() == FaultKind.FAILED_SYNC_PEER) {
            mendLater(fault, disk);
        }
        return effect;
    }

    private BooleanSupplier fill(Fault fault) {
        SimulatedDisk disk = disk(fault);
        BooleanSupplier effect = rises(disk::refusals);
        disk.setCapacity(disk.usedBytes() + fault.amount());
        if (!fault.other().isEmpty()) {
            restart(fault.other());
        }
        simulation.after(fault.durationNanos(), "end of fault", () -> disk.setCapacity(Long.MAX_VALUE));
        return effect;
    }

    private BooleanSupplier slowDown(Fault fault) {
        SimulatedDisk disk = disk(fault);
        BooleanSupplier effect = rises(disk::slowSyncs);
        disk.setSyncTime(fault.amount() / 2, fault.amount());
        mendLater(fault, disk);
        return effect;
    }

    /**
     * A storage peer reads its logs when an owner of chunks is replaced, so the fault replaces one; a super-peer when
     * it starts.
     */
    private BooleanSupplier failReads(Fault fault) {
        SimulatedDisk disk = disk(fault);
        BooleanSupplier effect = rises(disk::failedReads);
        disk.failReads(fault.amount() / 100.0);
        restart(fault.kind() == FaultKind.FAILED_READ ? fault.other() : fault.target());
        mendLater(fault, disk);
        return effect;
    }

    /**
     * A storage peer reads the logs of its copies when it restarts, or when the owner of the chunks is replaced: the
     * fault causes one of the two. A storage peer with a damaged zone table does not start, and a person has to replace
     * its disk.
     */
    private BooleanSupplier flipBit(Fault fault) {
        SimulatedDisk disk = disk(fault);
        List<String> logs = disk.fileNames().stream()
                .filter(name -> name.startsWith("primary-") || name.endsWith(".seg"))
                .filter(name -> disk.content(name).length > 0)
                .toList();
        if (logs.isEmpty()) {
            return () -> false;
        }
        BooleanSupplier effect = rises(disk::damagedReads);
        RandomGenerator random = new SplittableRandom(fault.amount());
        String name = logs.get(random.nextInt(logs.size()));
        disk.flipBit(name, random.nextInt(disk.content(name).length), random.nextInt(Byte.SIZE));
        restart(random.nextBoolean() ? fault.target() : fault.other());
        return effect;
    }

    private void mendLater(Fault fault, SimulatedDisk disk) {
        simulation.after(fault.durationNanos(), "end of fault", disk::disarm);
    }

    private void restart(String name) {
        Machine machine = cluster.machine(name);
        machine.kill();
        startLater(machine, 1);
    }

    private void startLater(Machine machine, long afterNanos) {
        simulation.after(afterNanos, "start " + machine.name(), machine::startIfDown);
    }
}
