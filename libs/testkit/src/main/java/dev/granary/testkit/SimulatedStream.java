package dev.granary.testkit;

import java.util.ArrayDeque;
import java.util.Arrays;

/** One direction of a connection: frames, and at last its end, arrive in the order sent. */
final class SimulatedStream {

    /** Stands for the orderly end of the stream. */
    private static final byte[] END = {};

    private final SimulatedNetwork network;
    private final SimulatedConnection sender;
    private final SimulatedConnection receiver;
    private final String from;
    private final String to;
    private final ArrayDeque<byte[]> held = new ArrayDeque<>();
    private long lastArrivalNanos;
    private long unreadBytes;

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
        while (!held.isEmpty() && !network.isCut(from, to)) {
            transmit(held.removeFirst());
        }
    }

    boolean isHolding() {
        return !held.isEmpty();
    }

    private void put(byte[] item) {
        if (held.isEmpty() && !network.isCut(from, to)) {
            transmit(item);
            return;
        }
        if (network.isCut(from, to)) {
            network.countBlocked(from, to);
        }
        if (held.isEmpty()) {
            network.holds(this);
            giveUpAfterLimit(item);
        }
        held.addLast(item);
    }

    private void giveUpAfterLimit(byte[] first) {
        network.simulation().schedule(SimulatedNetwork.RETRANSMIT_LIMIT_NANOS, sender.life(), () -> {
            if (held.peekFirst() == first && !sender.isClosed()) {
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
        network.countTravel(from, to, travelNanos, lastArrivalNanos);
        simulation.schedule(lastArrivalNanos - simulation.nowNanos(), null, () -> arrive(item));
    }

    /** The other machine has it. */
    private void arrive(byte[] item) {
        Simulation simulation = network.simulation();
        if (receiver.life().isGone()) {
            boolean machineOff = receiver.life().node().isPoweredOff();
            long delayNanos = machineOff ? SimulatedNetwork.RETRANSMIT_LIMIT_NANOS : network.latencyNanos(to, from);
            simulation.schedule(
                    delayNanos,
                    sender.life(),
                    () -> sender.endNow(SimulatedNetwork.broken("connection reset by " + to)));
            return;
        }
        simulation.schedule(0, receiver.life(), () -> {
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
        });
    }

    /** Drops what waits. */
    void drop() {
        held.clear();
    }

    @Override
    public String toString() {
        return from + " > " + to;
    }
}
