package dev.granary.simulation;

import dev.granary.process.ProcessControl;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A machine with a process, which is started, killed, and started again. */
abstract class Machine {

    private static final long RESTART_AFTER_FAILURE_NANOS = 300_000_000;

    /** The file in which super-peers and storage peers keep the id of their cluster. */
    private static final List<String> CLUSTER_FILES = List.of("super-peer", "cluster");

    private static final String CLUSTER_ID = "clusterId=";

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

    /** Returns how often the process ended itself. */
    final int failures() {
        return failures;
    }

    /** Returns the id of the cluster to which the disk belongs; empty if it belongs to none. */
    final Optional<String> clusterId() {
        return node.disk().fileNames().stream()
                .filter(CLUSTER_FILES::contains)
                .flatMap(file -> new String(node.disk().content(file), StandardCharsets.UTF_8).lines())
                .filter(line -> line.startsWith(CLUSTER_ID))
                .findFirst();
    }

    /** Starts a process. */
    final void start() {
        node.start(world -> {
            EndOfProcess control = new EndOfProcess();
            node.whenFatal(thrown -> control.fail("it cannot go on after " + thrown, thrown));
            try {
                begin(world, control);
            } catch (IOException e) {
                control.fail("the disk has failed", e);
            }
        });
    }

    /** Makes sure that it is never started again. */
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

    /** Called when the process is gone; repeated calls do no harm. */
    abstract void ended();

    /** Ends a process that cannot go on, and starts it again after a while, as Kubernetes would. */
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
