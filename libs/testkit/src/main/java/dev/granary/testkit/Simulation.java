package dev.granary.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A world on virtual time: a queue of events that one thread carries out in order of time, and in the order of
 * scheduling where times are equal. Everything random comes from the seed, so a run can be repeated. {@link #traceHash}
 * tells two runs apart at the first difference. Not thread-safe, on purpose.
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
    static final class Event {

        /** By time, and by being scheduled where times are equal. */
        static final Comparator<Event> ORDER =
                Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::serial);

        private final long serial;
        private final @Nullable Owner owner;
        private final Runnable action;
        private long atNanos;
        private boolean cancelled;

        Event(long atNanos, long serial, @Nullable Owner owner, Runnable action) {
            this.atNanos = atNanos;
            this.serial = serial;
            this.owner = owner;
            this.action = action;
        }

        long atNanos() {
            return atNanos;
        }

        long serial() {
            return serial;
        }

        void cancel() {
            cancelled = true;
        }

        private boolean isDropped() {
            return cancelled || (owner != null && owner.isGone());
        }

        private boolean isPaused() {
            return owner != null && owner.pausedUntilNanos() > atNanos;
        }
    }

    private final long seed;
    private final Trace trace = new Trace();
    private final EventQueue queue = new EventQueue();
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

    /** Passes every event from now on to the sink as a line of text: when, where, what. */
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

    /** Runs an action after a while, which belongs to no node. */
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
        return stepUntil(Long.MAX_VALUE);
    }

    /** Carries out all events of the next while and moves the time to its end. */
    public void runFor(long nanos) {
        long endNanos = nowNanos + nanos;
        while (stepUntil(endNanos)) {
            // Each step carries out an event.
        }
        nowNanos = endNanos;
    }

    /**
     * Carries out events until the condition holds.
     *
     * @param limitNanos the most time that may pass
     * @return whether it held in time
     */
    public boolean runUntil(BooleanSupplier condition, long limitNanos) {
        long endNanos = nowNanos + limitNanos;
        while (!condition.getAsBoolean()) {
            if (!stepUntil(endNanos)) {
                nowNanos = endNanos;
                return condition.getAsBoolean();
            }
        }
        return true;
    }

    /**
     * Carries out events until the condition holds, which is checked now and then because the check is costly.
     *
     * @param limitNanos the most time that may pass
     * @param everyNanos how much time passes between two looks
     * @return whether it held in time
     */
    public boolean runUntil(BooleanSupplier condition, long limitNanos, long everyNanos) {
        long endNanos = nowNanos + limitNanos;
        while (!condition.getAsBoolean()) {
            if (nowNanos >= endNanos) {
                return false;
            }
            runFor(Math.min(everyNanos, endNanos - nowNanos));
        }
        return true;
    }

    Event schedule(long delayNanos, @Nullable Owner owner, Runnable action) {
        Event event = new Event(nowNanos + Math.max(0, delayNanos), nextSerial++, owner, action);
        if (delayNanos <= 0) {
            queue.addAtOnce(event);
        } else {
            queue.add(event);
        }
        return event;
    }

    /** Postpones all events of an owner; their order stays. */
    void putOff(Owner owner, long nanos) {
        for (Event event : queue.takeAll(event -> event.owner == owner)) {
            event.atNanos += nanos;
            queue.add(event);
        }
    }

    Trace trace() {
        return trace;
    }

    /**
     * Carries out the next event if it is not later than the end; drops or postpones others on the way.
     *
     * @return false when there is none
     */
    private boolean stepUntil(long endNanos) {
        for (Event event = queue.peek(); event != null && event.atNanos <= endNanos; event = queue.peek()) {
            queue.take();
            if (event.isDropped()) {
                continue;
            }
            if (event.isPaused()) {
                postpone(event);
                continue;
            }
            nowNanos = event.atNanos;
            events++;
            carryOut(event.owner, event.action);
            return true;
        }
        return false;
    }

    /** Puts an event of a paused node back for when the pause is over; the order among such events stays. */
    private void postpone(Event event) {
        event.atNanos = Objects.requireNonNull(event.owner).pausedUntilNanos();
        queue.add(event);
    }

    /** Runs an event now, for an owner that is not paused or for nobody in particular. */
    @SuppressWarnings("CatchingUnchecked") // whatever an event throws fails the run, with the seed
    void carryOut(@Nullable Owner owner, Runnable action) {
        trace.hashOnly(nowNanos, owner == null ? "" : owner.name());
        try {
            if (owner == null) {
                action.run();
            } else {
                owner.run(action);
            }
        } catch (SimulationFailure e) {
            throw e;
        } catch (RuntimeException | AssertionError e) {
            String name = owner == null ? "the test" : "node " + owner.name();
            throw new SimulationFailure(
                    "%s failed at %.6f s of seed %d: %s".formatted(name, nowNanos / 1e9, seed, e), e, lastEvents());
        }
    }
}
