package dev.granary.testkit;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * The network between simulated nodes: connections that keep order as TCP does, over links with latency that hold
 * frames up, end connections, and are cut in one direction or both. Frames into a cut link wait; they arrive when it is
 * healed, or later if the cut said so, or their connection ends after {@link #RETRANSMIT_LIMIT_NANOS}. Single
 * connections are held up, or are forgotten by one of their ends.
 */
public final class SimulatedNetwork {

    /** How long a sender sends unanswered frames again before it gives its connection up. */
    public static final long RETRANSMIT_LIMIT_NANOS = 15_000_000_000L;

    private final Simulation simulation;
    private final RandomGenerator random;
    private final TreeMap<String, LinkConditions> conditions = new TreeMap<>();
    private final TreeSet<String> cuts = new TreeSet<>();
    private final TreeSet<String> backingOff = new TreeSet<>();
    private final TreeMap<String, Integer> blocked = new TreeMap<>();
    private final TreeSet<String> resetsArmed = new TreeSet<>();
    private final List<SimulatedStream> holding = new ArrayList<>();
    private long stalls;
    private long slowFrames;
    private long overtakings;
    private long resetsAfterFrames;
    private long heldFrames;
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

    /**
     * Cuts one direction. Once it is healed, what waited arrives when its sender tries the next time: the longer it
     * waited, the later. So does what was sent on connections that their senders have given up meanwhile.
     */
    public void cutWithBackOff(String from, String to) {
        cut(from, to);
        backingOff.add(link(from, to));
    }

    /** Everything gets through again everywhere; what waited is sent. */
    public void healAll() {
        simulation.note("heal", cuts.size());
        cuts.clear();
        backingOff.clear();
        List<SimulatedStream> waiting = List.copyOf(holding);
        holding.clear();
        waiting.forEach(SimulatedStream::endStall);
        waiting.forEach(SimulatedStream::resume);
    }

    /**
     * Holds up what one node sends the other on one of their connections for a while; others go on.
     *
     * @param pick chooses among the connections that there are
     * @return whether there was one
     */
    public boolean stallConnection(String from, String to, long nanos, int pick) {
        Optional<SimulatedConnection> chosen = connection(from, to, pick);
        chosen.ifPresent(connection -> connection.stall(nanos));
        return chosen.isPresent();
    }

    /**
     * One of two nodes forgets a connection, and the other one does not learn that before it sends something.
     *
     * @param answers whether it learns it then, at once; otherwise nothing answers it
     * @param pick chooses among the connections that there are
     * @return whether there was one
     */
    public boolean forgetConnection(String at, String other, boolean answers, int pick) {
        Optional<SimulatedConnection> chosen = connection(at, other, pick);
        chosen.ifPresent(connection -> connection.forget(answers));
        return chosen.isPresent();
    }

    private Optional<SimulatedConnection> connection(String at, String other, int pick) {
        SimulatedNode.Life life = simulation.knows(at) ? simulation.node(at).life() : null;
        List<SimulatedConnection> found =
                life == null ? List.of() : life.transport().connectionsWith(other);
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(Math.floorMod(pick, found.size())));
    }

    /** Lets one direction through again; what waited is sent. */
    public void heal(String from, String to) {
        simulation.note("heal " + from + " to " + to, 0);
        cuts.remove(link(from, to));
        boolean later = backingOff.remove(link(from, to));
        for (SimulatedStream stream : List.copyOf(holding)) {
            if (later && stream.isHolding() && stream.isOf(from, to)) {
                stream.resumeAtRetransmission();
            } else {
                stream.resume();
            }
        }
        holding.removeIf(stream -> !stream.isHolding());
    }

    /**
     * The next frame from one node to the other arrives and is taken, and then its connection is reset, so that nobody
     * learns what came of it: a request that will be sent again although it was carried out.
     */
    public void resetAfterNextFrame(String from, String to) {
        resetsArmed.add(link(from, to));
    }

    /** Forgets what {@link #resetAfterNextFrame} asked for and what has not happened yet. */
    public void disarm() {
        resetsArmed.clear();
    }

    /** How many frames and connection attempts in one direction met a cut so far. */
    public int blocked(String from, String to) {
        return blocked.getOrDefault(link(from, to), 0);
    }

    /** How many frames were lost and sent again so far. */
    public long stalls() {
        return stalls;
    }

    /** How many frames took longer than the slowest of a good network so far. */
    public long slowFrames() {
        return slowFrames;
    }

    /**
     * How many frames arrived before one that had been sent to the same node earlier, so far, by more than latencies
     * differ on a good network. Within a connection frames stay in order.
     */
    public long overtakings() {
        return overtakings;
    }

    /** How many connections were reset by {@link #resetAfterNextFrame} so far. */
    public long resetsAfterFrames() {
        return resetsAfterFrames;
    }

    /**
     * How many frames waited on a connection that was stalled, or were sent to an end that had forgotten it.
     */
    public long heldFrames() {
        return heldFrames;
    }

    public boolean isCut(String from, String to) {
        return !cuts.isEmpty() && cuts.contains(link(from, to));
    }

    /**
     * Ends all connections between two nodes; frames on their way are lost.
     *
     * @return how many there were
     */
    public int resetConnections(String one, String other) {
        int count = 0;
        for (SimulatedNode node : simulation.nodes()) {
            SimulatedNode.Life life = node.life();
            if (life != null && (node.name().equals(one) || node.name().equals(other))) {
                count += life.transport().resetConnectionsWith(node.name().equals(one) ? other : one);
            }
        }
        return count;
    }

    Simulation simulation() {
        return simulation;
    }

    void holds(SimulatedStream stream) {
        holding.add(stream);
    }

    void countBlocked(String from, String to) {
        blocked.merge(link(from, to), 1, Integer::sum);
    }

    void countHeldFrame() {
        heldFrames++;
    }

    /** Whether what waits for this direction comes some time after it is healed. */
    boolean backsOff(String from, String to) {
        return backingOff.contains(link(from, to));
    }

    void countStall() {
        stalls++;
    }

    /** Counts what is unusual about a frame on its way. */
    void countTravel(SimulatedNode to, long travelNanos, long arrivalNanos) {
        if (travelNanos > LinkConditions.GOOD.maxLatencyNanos()) {
            slowFrames++;
        }
        if (arrivalNanos + LinkConditions.GOOD.maxLatencyNanos() < to.latestArrival(arrivalNanos)) {
            overtakings++;
        }
    }

    /** Whether the connection of a frame that was just taken is to be reset. */
    boolean takesArmedReset(String from, String to) {
        boolean armed = !resetsArmed.isEmpty() && resetsArmed.remove(link(from, to));
        if (armed) {
            resetsAfterFrames++;
        }
        return armed;
    }

    boolean draws(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    LinkConditions conditionsOf(String from, String to) {
        return conditions.isEmpty() ? usual : conditions.getOrDefault(link(from, to), usual);
    }

    long latencyNanos(String from, String to) {
        LinkConditions link = conditionsOf(from, to);
        return random.nextLong(link.minLatencyNanos(), link.maxLatencyNanos());
    }

    CompletableFuture<Connection> connect(SimulatedNode.Life caller, HostAddress remote, ConnectionHandler handler) {
        CompletableFuture<Connection> result = new CompletableFuture<>();
        attempt(new Attempt(caller, remote, handler, result));
        return result;
    }

    private void attempt(Attempt attempt) {
        String from = attempt.caller.name();
        String to = attempt.remote.host();
        long skewNanos = attempt.caller.node().skewNanos();
        simulation.schedule(Transport.CONNECT_TIMEOUT_NANOS + skewNanos, attempt.caller, () -> {
            if (!attempt.answered) {
                attempt.answered = true;
                attempt.fail("timed out");
            }
        });
        if (isCut(from, to)) {
            countBlocked(from, to);
        } else {
            simulation.schedule(latencyNanos(from, to) + skewNanos, null, () -> arrive(attempt));
        }
    }

    /** The request for a connection reaches the other machine. */
    private void arrive(Attempt attempt) {
        String from = attempt.remote.host();
        SimulatedNode callee = simulation.knows(from) ? simulation.node(from) : null;
        boolean unanswered = callee != null && callee.isPoweredOff();
        if (isCut(from, attempt.caller.name())) {
            countBlocked(from, attempt.caller.name());
            return;
        }
        if (attempt.answered || unanswered) {
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

        /** Whether the other machine has answered, or the caller has given up. */
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
