package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two nodes with a connection that a has opened, and what both sides of it are told. */
final class SimulatedPair {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    final Simulation simulation = new Simulation(5);
    final SimulatedNetwork network = simulation.network();
    final SimulatedNode a = simulation.node("a");
    final SimulatedNode b = simulation.node("b");

    /** What happened, and at which node. */
    final List<String> told = new ArrayList<>();

    private @Nullable Connection atA;
    private @Nullable Connection atB;

    SimulatedPair() {
        b.start(world -> {
            var bound = world.transport().listen(new HostAddress("0.0.0.0", 7), connection -> {
                atB = connection;
                return new Recorder("b");
            });
            assertThat(bound).isNotCompletedExceptionally();
        });
        a.start(world -> {
            var connected = world.transport().connect(new HostAddress("b", 7), new Recorder("a"));
            assertThat(connected.thenAccept(connection -> atA = connection)).isNotCompletedExceptionally();
        });
        simulation.runFor(10 * MILLI);
    }

    SimulatedConnection atA() {
        return (SimulatedConnection) Objects.requireNonNull(atA, "not connected");
    }

    SimulatedConnection atB() {
        return (SimulatedConnection) Objects.requireNonNull(atB, "not connected");
    }

    static ByteBuf frame(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private final class Recorder implements ConnectionHandler {

        private final String node;

        Recorder(String node) {
            this.node = node;
        }

        @Override
        public void onFrame(Connection connection, ByteBuf frame) {
            told.add(node + " got " + frame.toString(StandardCharsets.UTF_8));
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            told.add(node + (cause == null ? " closed" : " broken: " + cause.getMessage()));
        }
    }
}
