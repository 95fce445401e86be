package dev.granary.testkit;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * The network between simulated nodes: connections that keep order as TCP does, over links with latency that hold frames
 * up, end connections, and are cut in one direction or both. Frames into a cut link wait; they arrive when it is healed,
 * or their connection ends after {@link #RETRANSMIT_LIMIT_NANOS}.
 */
public final class SimulatedNetwork {

    /** How long a sender sends unanswered frames again before it gives its connection up. */
    public static final long RETRANSMIT_LIMIT_NANOS = 15_000_000_000L;

    /** When a connection attempt that is not answered is repeated, and when it is given up. */
    private static final long[] CONNECT_RETRY_NANOS = {1_000_000_000L, 2_000_000_000L};

    private final Simulation simulation;
    private final RandomGenerator random;
    private final ByteBufAllocator allocator = new HeapAllocator();
    private final TreeMap<String, LinkConditions> conditions = new TreeMap<>();
    private final TreeSet<String> cuts = new TreeSet<>();
    private final List<SimulatedStream> holding = new ArrayList<>();
    private LinkConditions usual = LinkConditions.GOOD;

    SimulatedNetwork(Simulation simulation) {
        this.simulation = simulation;
        this.random = simulation.random("network");
    }

    /** Sets how all links behave that have no conditions of their own. */
    public void setConditions(LinkConditions all) {
        usual = all;
    }

    /** Sets how one direction behaves. */
    public void setConditions(String from, String to, LinkConditions link) {
        conditions.put(link(from, to), link);
    }

    /** Nothing gets through from one node to the other any more; the opposite direction is not changed. */
    public void cut(String from, String to) {
        simulation.note("cut " + from + " to " + to, 0);
        cuts.add(link(from, to));
    }

    /** Cuts both directions. */
    public void cutBoth(String one, String other) {
        cut(one, other);
        cut(other, one);
    }

    /** Everything gets through again everywhere; what waited is sent. */
    public void healAll() {
        simulation.note("heal", cuts.size());
        cuts.clear();
        List<SimulatedStream> waiting = List.copyOf(holding);
        holding.clear();
        waiting.forEach(SimulatedStream::resume);
    }

    public boolean isCut(String from, String to) {
        return cuts.contains(link(from, to));
    }

    /** Ends all connections between two nodes; frames on their way are lost. */
    public void resetConnections(String one, String other) {
        for (SimulatedNode node : simulation.nodes()) {
            SimulatedNode.Life life = node.life();
            if (life != null && (node.name().equals(one) || node.name().equals(other))) {
                life.transport().resetConnectionsWith(node.name().equals(one) ? other : one);
            }
        }
    }

    Simulation simulation() {
        return simulation;
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    void holds(SimulatedStream stream) {
        holding.add(stream);
    }

    boolean draws(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    LinkConditions conditionsOf(String from, String to) {
        return conditions.getOrDefault(link(from, to), usual);
    }

    long latencyNanos(String from, String to) {
        LinkConditions link = conditionsOf(from, to);
        return random.nextLong(link.minLatencyNanos(), link.maxLatencyNanos());
    }

    CompletableFuture<Connection> connect(SimulatedNode.Life caller, HostAddress remote, ConnectionHandler handler) {
        CompletableFuture<Connection> result = new CompletableFuture<>();
        attempt(new Attempt(caller, remote, handler, result), 0);
        return result;
    }

    private void attempt(Attempt attempt, int tries) {
        String from = attempt.caller.name();
        String to = attempt.remote.host();
        long skewNanos = attempt.caller.node().skewNanos();
        if (tries == CONNECT_RETRY_NANOS.length) {
            attempt.fail("timed out");
            return;
        }
        simulation.schedule(CONNECT_RETRY_NANOS[tries] + skewNanos, attempt.caller, () -> {
            if (!attempt.answered) {
                attempt(attempt, tries + 1);
            }
        });
        if (!isCut(from, to)) {
            simulation.schedule(latencyNanos(from, to) + skewNanos, null, () -> arrive(attempt));
        }
    }

    /** The request for a connection reaches the other machine. */
    private void arrive(Attempt attempt) {
        String from = attempt.remote.host();
        SimulatedNode callee = simulation.knows(from) ? simulation.node(from) : null;
        boolean unanswered = callee != null && callee.isPoweredOff();
        if (attempt.answered || unanswered || isCut(from, attempt.caller.name())) {
            return;
        }
        attempt.answered = true;
        long latencyNanos = latencyNanos(from, attempt.caller.name());
        SimulatedNode.Life life = callee == null ? null : callee.life();
        Transport.Acceptor acceptor = life == null ? null : life.transport().acceptor(attempt.remote.port());
        if (life == null || acceptor == null) {
            simulation.schedule(latencyNanos, attempt.caller, () -> attempt.fail("connection refused"));
            return;
        }
        HostAddress callerAddress = new HostAddress(attempt.caller.name(), 1);
        SimulatedConnection accepted = new SimulatedConnection(this, life, callerAddress);
        SimulatedConnection opened = new SimulatedConnection(this, attempt.caller, attempt.remote);
        accepted.join(opened);
        opened.join(accepted);
        simulation.schedule(0, life, () -> accepted.open(acceptor.accept(accepted)));
        simulation.schedule(latencyNanos, attempt.caller, () -> {
            opened.open(attempt.handler);
            attempt.result.complete(opened);
        });
    }

    static IOException broken(String why) {
        return new IOException(why);
    }

    private static String link(String from, String to) {
        return from + " > " + to;
    }

    /** A connection on its way to be opened. */
    private static final class Attempt {
        private final SimulatedNode.Life caller;
        private final HostAddress remote;
        private final ConnectionHandler handler;
        private final CompletableFuture<Connection> result;
        private boolean answered;

        Attempt(
                SimulatedNode.Life caller,
                HostAddress remote,
                ConnectionHandler handler,
                CompletableFuture<Connection> result) {
            this.caller = caller;
            this.remote = remote;
            this.handler = handler;
            this.result = result;
        }

        void fail(String why) {
            result.completeExceptionally(new ConnectException("cannot connect to " + remote + ": " + why));
        }
    }
}
