package dev.granary.testkit;

import dev.granary.env.Confined;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a simulated process that waits for its disk: one task after the other, and while one waits for a slow
 * disk the rest of the process goes on. With a disk that takes no time its tasks are events like others.
 */
final class DiskThread implements Executor {

    private final Simulation simulation;
    private final SimulatedNode.Life life;
    private final SimulatedDisk disk;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable Strand underWay;

    DiskThread(Simulation simulation, SimulatedNode.Life life, SimulatedDisk disk) {
        this.simulation = simulation;
        this.life = life;
        this.disk = disk;
    }

    @Override
    public void execute(Runnable task) {
        simulation.schedule(life.node().skewNanos(), life, () -> {
            if (underWay == null) {
                run(task);
            } else {
                waiting.add(task);
            }
        });
    }

    private void run(Runnable task) {
        if (disk.isSlow()) {
            goOn(new Strand(() -> Confined.playing(this, task)));
        } else {
            Confined.playing(this, task);
        }
    }

    private void goOn(Strand strand) {
        underWay = strand;
        if (strand.goOn()) {
            simulation.schedule(strand.waitNanos(), life, () -> goOn(strand));
            return;
        }
        underWay = null;
        while (underWay == null && !waiting.isEmpty()) {
            run(waiting.removeFirst());
        }
    }

    @Override
    public String toString() {
        return "the disk's thread of " + life.name();
    }

    /** Ends the thread, because the process is dead. */
    void end() {
        waiting.clear();
        Strand ended = underWay;
        if (ended != null && ended != Strand.current()) {
            underWay = null;
            ended.end();
        }
    }
}
