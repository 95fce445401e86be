package dev.granary.raft;

import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import io.microraft.executor.RaftNodeExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the library's tasks on a scheduler, in a time of its own: the library counts heartbeats in whole seconds, and
 * one of its seconds is one heartbeat of ours (SAFETY rule 7). Used by the scheduler's tasks only.
 *
 * <p>Without heartbeats a group may never have a leader again. So they are a {@link Loop} here: if one throws, the loop
 * counts it and another one follows, and a process without heartbeats counts as dead.
 */
final class ScaledExecutor implements RaftNodeExecutor {

    private static final long LIBRARY_SECOND_NANOS = 1_000_000_000;

    /**
     * A heartbeat may come earlier by up to this part of one, so that two members do not notice at the same moment that
     * the leader is gone.
     */
    private static final double EARLIER_HEARTBEATS = 0.3;

    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final ScaledClock clock;
    private final long heartbeatNanos;
    private final Loop heartbeats;
    private boolean atOnce;

    /** What the library does at a heartbeat; null before it has begun. */
    private @Nullable Runnable heartbeat;

    /** @param clock of the library */
    ScaledExecutor(Environment environment, long heartbeatNanos, ScaledClock clock) {
        this.scheduler = environment.scheduler();
        this.random = environment.random();
        this.heartbeatNanos = heartbeatNanos;
        this.clock = clock;
        this.heartbeats = Loop.every(scheduler, "raft-heartbeat", this::periodNanos, this::beat)
                .vital();
    }

    private long periodNanos() {
        return (long) ((1 - random.nextDouble() * EARLIER_HEARTBEATS) * heartbeatNanos);
    }

    /** Runs an action. The first task that it hands to {@link #execute} runs at once instead of in its turn. */
    void runAtOnce(Runnable action) {
        atOnce = true;
        try {
            action.run();
        } finally {
            atOnce = false;
        }
    }

    @Override
    public void execute(Runnable task) {
        if (atOnce) {
            // Only the first one: what that task hands in waits for its turn.
            atOnce = false;
            task.run();
        } else {
            scheduler.execute(task);
        }
    }

    @Override
    public void submit(Runnable task) {
        scheduler.execute(task);
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        double libraryNanos = unit.toNanos(delay);
        scheduler.schedule((long) (libraryNanos / LIBRARY_SECOND_NANOS * heartbeatNanos), task);
    }

    @Override
    public void scheduleHeartbeat(Runnable task, long period, TimeUnit unit) {
        heartbeat = task;
        heartbeats.beginAfter(periodNanos());
    }

    private void beat() {
        clock.look();
        Runnable task = heartbeat;
        if (task != null) {
            task.run();
        }
    }

    /** Ends the heartbeats. */
    void stop() {
        heartbeats.stop();
    }
}
