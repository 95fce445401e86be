package dev.granary.simulation;

import dev.granary.process.ProcessControl;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A machine with a process that is started, killed, and started again. */
abstract class Machine {

    private static final long RESTART_AFTER_FAILURE_NANOS = 300_000_000;

    /** Where super-peers and storage peers keep which cluster they belong to. */
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

    /** How often the process ended itself. */
    final int failures() {
        return failures;
    }

    /** The cluster that the disk belongs to, if it belongs to one. */
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
