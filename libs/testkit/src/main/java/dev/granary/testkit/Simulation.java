package dev.granary.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A world on virtual time: a queue of events that one thread carries out in order of time, and of being scheduled where
 * times are equal. Everything random comes from the seed, so a run can be repeated; {@link #traceHash} tells two runs
 * apart at the first difference. Not thread-safe, on purpose.
 */
public final class Simulation {

    /** What an event belongs to. */
    interface Owner {
        /** Whether the event is dropped: its node was killed since. */
        boolean isGone();

        /** True time until which the owner does nothing; events wait until then. */
        long pausedUntilNanos();

        String name();

        /** Runs an event of this owner. */
        void run(Runnable action);
    }

    /** An event that waits for its time. */
    final class Event implements Comparable<Event> {
        private final long serial;
        private final @Nullable Owner owner;
        private final Runnable action;
        private long atNanos;
        private boolean cancelled;

        private Event(long atNanos, @Nullable Owner owner, Runnable action) {
            this.atNanos = atNanos;
            this.serial = nextSerial++;
            this.owner = owner;
            this.action = action;
        }

        void cancel() {
            cancelled = true;
        }

        private boolean isDropped() {
            return cancelled || (owner != null && owner.isGone());
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(serial, other.serial);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(serial);
        }
    }

    private final long seed;
    private final Trace trace = new Trace();
    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final TreeMap<String, SimulatedNode> nodes = new TreeMap<>();
    private final SimulatedNetwork network;
    private long nowNanos;
    private long nextSerial;
    private long events;

    /** An empty world at time 0. */
    public Simulation(long seed) {
        this.seed = seed;
        this.network = new SimulatedNetwork(this);
    }

    public long seed() {
        return seed;
    }

    /** True time since the start. No node sees it: each has its own clock. */
    public long nowNanos() {
        return nowNanos;
    }

    /** Events carried out so far. */
    public long events() {
        return events;
    }

    /** A number that depends on every event so far: which, when, and what was in it. */
    public long traceHash() {
        return trace.hash();
    }

    /** The last events as text, the latest at the end. */
    public List<String> lastEvents() {
        return trace.last();
    }

    /** Tells every event from now on as a line of text: when, where, what. */
    public void traceTo(Consumer<String> sink) {
        trace.tellTo(sink);
    }

    /** Adds something that must be the same in every run to the trace. */
    public void note(String what, long detail) {
        trace.add(nowNanos, "", what, detail);
    }

    public SimulatedNetwork network() {
        return network;
    }

    /** The node with this name, which is also its host name; made when there is none. It does not run yet. */
    public SimulatedNode node(String name) {
        return nodes.computeIfAbsent(name, key -> new SimulatedNode(this, key));
    }

    boolean knows(String name) {
        return nodes.containsKey(name);
    }

    /** All nodes, by name. */
    public List<SimulatedNode> nodes() {
        return new ArrayList<>(nodes.values());
    }

    /** A source of random numbers of its own, given by the seed and the name. */
    public RandomGenerator random(String name) {
        long mixed = seed;
        for (int i = 0; i < name.length(); i++) {
            mixed = Trace.mix(mixed, name.charAt(i));
        }
        return new SplittableRandom(mixed);
    }

    /** Has something done after a while, by nobody in particular. */
    public void after(long delayNanos, String what, Runnable action) {
        schedule(delayNanos, null, () -> {
            trace.add(nowNanos, "", what, 0);
            action.run();
        });
    }

    /**
     * Carries out the next event.
     *
     * @return false when there is none
     * @throws SimulationFailure when the event threw something
     */
    public boolean step() {
        Event event = queue.poll();
        while (event != null && (event.isDropped() || postpone(event))) {
            event = queue.poll();
        }
        if (event == null) {
            return false;
        }
        nowNanos = event.atNanos;
        events++;
        run(event);
        return true;
    }

    /** Carries out all events of the next while and moves the time to its end. */
    public void runFor(long nanos) {
        long endNanos = nowNanos + nanos;
        while (hasEventUntil(endNanos)) {
            step();
        }
        nowNanos = endNanos;
    }

    /**
     * Carries out events until something is so.
     *
     * @param limitNanos the most time that may pass
     * @return whether it was so in time
     */
    public boolean runUntil(BooleanSupplier condition, long limitNanos) {
        long endNanos = nowNanos + limitNanos;
        while (!condition.getAsBoolean()) {
            if (!hasEventUntil(endNanos)) {
                nowNanos = endNanos;
                return condition.getAsBoolean();
            }
            step();
        }
        return true;
    }

    Event schedule(long delayNanos, @Nullable Owner owner, Runnable action) {
        Event event = new Event(nowNanos + Math.max(0, delayNanos), owner, action);
        queue.add(event);
        return event;
    }

    Trace trace() {
        return trace;
    }

    /** Whether there is an event until then; drops and moves what stands in the way. */
    private boolean hasEventUntil(long endNanos) {
        Event event = queue.peek();
        while (event != null && event.atNanos <= endNanos) {
            if (!event.isDropped() && !isPaused(event)) {
                return true;
            }
            queue.remove(event);
            if (!event.isDropped()) {
                postpone(event);
            }
            event = queue.peek();
        }
        return false;
    }

    private static boolean isPaused(Event event) {
        return event.owner != null && event.owner.pausedUntilNanos() > event.atNanos;
    }

    /** Puts an event of a paused node back for when the pause is over; the order among such events stays. */
    private boolean postpone(Event event) {
        if (event.owner == null || !isPaused(event)) {
            return false;
        }
        event.atNanos = event.owner.pausedUntilNanos();
        queue.add(event);
        return true;
    }

    @SuppressWarnings("CatchingUnchecked") // whatever an event throws fails the run, with the seed
    private void run(Event event) {
        Owner owner = event.owner;
        trace.hashOnly(nowNanos, owner == null ? "" : owner.name());
        try {
            if (owner == null) {
                event.action.run();
            } else {
                owner.run(event.action);
            }
        } catch (RuntimeException | AssertionError e) {
            String name = owner == null ? "the test" : "node " + owner.name();
            throw new SimulationFailure(
                    "%s failed at %.6f s of seed %d: %s".formatted(name, nowNanos / 1e9, seed, e), e, lastEvents());
        }
    }
}
