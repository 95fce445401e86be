package dev.granary.simulation;

import dev.granary.process.ProcessControl;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A machine with a process that is started, killed, and started again. */
abstract class Machine {

    private static final long RESTART_AFTER_FAILURE_NANOS = 300_000_000;

    private final Simulation simulation;
    private final SimulatedNode node;
    private int failures;
    private boolean retired;

    Machine(Simulation simulation, String name) {
        this.simulation = simulation;
        this.node = simulation.node(name);
    }

    final SimulatedNode node() {
        return node;
    }

    final String name() {
        return node.name();
    }

    /** How often the process ended itself. */
    final int failures() {
        return failures;
    }

    /** Starts a process. */
    final void start() {
        node.start(world -> {
            EndOfProcess control = new EndOfProcess();
            try {
                begin(world, control);
            } catch (IOException e) {
                control.fail("the disk has failed", e);
            }
        });
    }

    /** Is never started again. */
    final void retire() {
        retired = true;
    }

    final void startIfDown() {
        if (!retired && !node.isRunning()) {
            start();
        }
    }

    final void kill() {
        node.kill();
        ended();
    }

    final void powerOff() {
        node.powerOff();
        ended();
    }

    @Override
    public String toString() {
        return name() + (node.isRunning() ? " runs" : " is down");
    }

    /** Whether the process runs and says that it is ready. */
    abstract boolean isReady();

    abstract void begin(SimulatedNode.World world, ProcessControl control) throws IOException;

    /** The process is gone; called again and again without harm. */
    abstract void ended();

    /** A process that cannot go on ends, and is started again after a while, as Kubernetes would. */
    private final class EndOfProcess implements ProcessControl {

        private boolean called;

        @Override
        public void fail(String reason, @Nullable Throwable cause) {
            if (called) {
                return;
            }
            called = true;
            failures++;
            simulation.after(0, name() + " ends itself", () -> {
                powerOff();
                simulation.after(RESTART_AFTER_FAILURE_NANOS, name() + " starts", Machine.this::startIfDown);
            });
        }
    }
}
