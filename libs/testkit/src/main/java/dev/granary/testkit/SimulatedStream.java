package dev.granary.testkit;

import java.util.ArrayDeque;
import java.util.Arrays;

/** One direction of a connection: frames, and at last its end, arrive in the order sent. */
final class SimulatedStream {

    /** Stands for the orderly end of the stream. */
    private static final byte[] END = {};

    /** The time after which bytes without an acknowledgement are sent again. It doubles with each repetition. */
    private static final long FIRST_RETRANSMISSION_NANOS = 200_000_000;

    private final SimulatedNetwork network;
    private final SimulatedConnection sender;
    private final SimulatedConnection receiver;
    private final String from;
    private final String to;
    private final ArrayDeque<byte[]> held = new ArrayDeque<>();
    private long lastArrivalNanos;
    private long unreadBytes;
    private long heldSinceNanos;
    private long stalledUntilNanos;
    private boolean lingers;

    /** What has arrived while the receiver was paused. */
    private int untaken;

    SimulatedStream(SimulatedNetwork network, SimulatedConnection sender, SimulatedConnection receiver) {
        this.network = network;
        this.sender = sender;
        this.receiver = receiver;
        this.from = sender.life().name();
        this.to = receiver.life().name();
    }

    /** Bytes that were sent and not yet taken by the receiver. */
    long unreadBytes() {
        return unreadBytes;
    }

    void send(byte[] frame) {
        unreadBytes += frame.length;
        put(frame);
    }

    void end() {
        put(END);
    }

    /** Sends what waited for the link to be healed. */
    void resume() {
        while (!held.isEmpty() && !isHeldUp()) {
            transmit(held.removeFirst());
        }
    }

    /** Sends what waited when its sender tries the next time: the longer it waited, the later that is. */
    void resumeAtRetransmission() {
        long afterNanos = FIRST_RETRANSMISSION_NANOS;
        long waitedNanos = network.simulation().nowNanos() - heldSinceNanos;
        long triedNanos = afterNanos;
        while (triedNanos <= waitedNanos) {
            afterNanos *= 2;
            triedNanos += afterNanos;
        }
        stall(triedNanos - waitedNanos);
    }

    /**
     * For {@code nanos} nothing of this stream arrives, even when the stream is closed meanwhile. Other streams between
     * the same nodes go on.
     */
    void stall(long nanos) {
        Simulation simulation = network.simulation();
        lingers = true;
        stalledUntilNanos = Math.max(stalledUntilNanos, simulation.nowNanos() + nanos);
        simulation.schedule(nanos, null, this::resume);
    }

    /** Ends a stall of this stream. */
    void endStall() {
        stalledUntilNanos = 0;
    }

    boolean isHolding() {
        return !held.isEmpty();
    }

    /** Whether it is this direction of a link. */
    boolean isOf(String fromNode, String toNode) {
        return from.equals(fromNode) && to.equals(toNode);
    }

    private boolean isHeldUp() {
        return network.isCut(from, to) || isStalled();
    }

    private boolean isStalled() {
        return network.simulation().nowNanos() < stalledUntilNanos;
    }

    private void put(byte[] item) {
        if (held.isEmpty() && !isHeldUp()) {
            transmit(item);
            return;
        }
        if (network.isCut(from, to)) {
            network.countBlocked(from, to);
            lingers |= network.backsOff(from, to);
        } else if (isStalled()) {
            network.countHeldFrame();
        }
        if (held.isEmpty()) {
            heldSinceNanos = network.simulation().nowNanos();
            network.holds(this);
            giveUpAfterLimit(item);
        }
        held.addLast(item);
    }

    private void giveUpAfterLimit(byte[] first) {
        network.simulation().schedule(SimulatedNetwork.RETRANSMIT_LIMIT_NANOS, sender.life(), () -> {
            if (held.peekFirst() == first) {
                held.clear();
                sender.endNow(SimulatedNetwork.broken("connection to " + to + " timed out"));
            }
        });
    }

    private void transmit(byte[] item) {
        Simulation simulation = network.simulation();
        LinkConditions link = network.conditionsOf(from, to);
        if (network.draws(link.resetProbability())) {
            sender.resetBoth();
            return;
        }
        long travelNanos = network.latencyNanos(from, to);
        if (network.draws(link.stallProbability())) {
            travelNanos += link.stallNanos();
            network.countStall();
        }
        long departureNanos = simulation.nowNanos() + sender.life().node().skewNanos();
        lastArrivalNanos = Math.max(lastArrivalNanos, departureNanos + travelNanos);
        network.countTravel(receiver.life().node(), travelNanos, lastArrivalNanos);
        simulation.schedule(lastArrivalNanos - simulation.nowNanos(), null, () -> arrive(item));
    }

    /** The item has reached the other machine. */
    private void arrive(byte[] item) {
        Simulation simulation = network.simulation();
        if (receiver.isForgotten()) {
            network.countHeldFrame();
            long delayNanos = receiver.answersWhenForgotten()
                    ? network.latencyNanos(to, from)
                    : SimulatedNetwork.RETRANSMIT_LIMIT_NANOS;
            simulation.schedule(
                    delayNanos,
                    sender.life(),
                    () -> sender.endNow(SimulatedNetwork.broken(to + " knows nothing of it")));
            return;
        }
        if (receiver.life().isGone()) {
            boolean machineOff = receiver.life().node().isPoweredOff();
            long delayNanos = machineOff ? SimulatedNetwork.RETRANSMIT_LIMIT_NANOS : network.latencyNanos(to, from);
            simulation.schedule(
                    delayNanos,
                    sender.life(),
                    () -> sender.endNow(SimulatedNetwork.broken("connection reset by " + to)));
            return;
        }
        // What waits for the end of a pause is taken before what comes after it.
        if (untaken == 0 && receiver.life().pausedUntilNanos() <= simulation.nowNanos()) {
            simulation.carryOut(receiver.life(), () -> take(item));
        } else {
            untaken++;
            simulation.schedule(0, receiver.life(), () -> {
                untaken--;
                take(item);
            });
        }
    }

    /** The other process takes the item. */
    private void take(byte[] item) {
        Simulation simulation = network.simulation();
        unreadBytes -= item.length;
        simulation.trace().add(simulation.nowNanos(), to, from, Arrays.hashCode(item));
        if (item == END) {
            receiver.endNow(null);
        } else {
            receiver.deliver(item);
            if (network.takesArmedReset(from, to)) {
                sender.resetBoth();
            }
        }
    }

    /** Drops what waits. */
    void drop() {
        held.clear();
    }

    /** Its sender has closed it: what waits is dropped, unless the sender's machine goes on trying. */
    void close() {
        if (!lingers) {
            held.clear();
        }
    }

    @Override
    public String toString() {
        return from + " > " + to;
    }
}
