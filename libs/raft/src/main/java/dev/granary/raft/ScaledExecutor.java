package dev.granary.raft;

import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import io.microraft.executor.RaftNodeExecutor;
import io.microraft.impl.task.HeartbeatTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the library's tasks on a scheduler, in a time of its own: the library counts heartbeats in whole seconds, and one
 * of its seconds is one heartbeat of ours (SAFETY rule 7). Used by the scheduler's tasks only.
 *
 * <p>How long an election may take the library draws from a tenth of a second, so from a tenth of a heartbeat: members that
 * begin together would disturb each other again and again, and for ever where messages take longer than that. What it draws
 * is stretched here to {@link RaftTiming#ELECTION_SPREAD_HEARTBEATS}.
 *
 * <p>The library repeats its heartbeat by handing it in again at the end of each. Whether a group ever has a leader
 * again hangs on that, so that it is a {@link Loop} here: one that throws is counted, another one follows, and a
 * process without heartbeats counts as dead.
 */
final class ScaledExecutor implements RaftNodeExecutor {

    /** What the library is told of the length of an election; nothing else that it schedules takes as long in milliseconds. */
    static final long LIBRARY_ELECTION_MILLIS = 1_000 * RaftTiming.ELECTION_HEARTBEATS;

    /** So much and less the library adds by chance. */
    private static final long LIBRARY_NOISE_MILLIS = 100;

    private static final long LIBRARY_SECOND_NANOS = 1_000_000_000;

    /** Heartbeats come earlier by up to so much, so that two members do not notice at one moment that the leader is gone. */
    private static final double EARLIER_HEARTBEATS = 0.3;

    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final ScaledClock clock;
    private final long heartbeatNanos;
    private final BooleanSupplier ended;
    private final BooleanSupplier waiting;
    private final Loop heartbeats;
    private boolean atOnce;

    /** What the library does at a heartbeat; null before it has begun. */
    private @Nullable HeartbeatTask heartbeat;

    /** What our code has thrown while the library carried out a heartbeat, which keeps it for its log. */
    private @Nullable Throwable thrown;

    /**
     * @param clock of the library
     * @param ended whether nothing is to be run any more
     * @param waiting whether there is nothing to be done at a heartbeat
     */
    ScaledExecutor(
            Environment environment,
            long heartbeatNanos,
            ScaledClock clock,
            BooleanSupplier ended,
            BooleanSupplier waiting) {
        this.scheduler = environment.scheduler();
        this.random = environment.random();
        this.heartbeatNanos = heartbeatNanos;
        this.clock = clock;
        this.ended = ended;
        this.waiting = waiting;
        this.heartbeats = Loop.every(scheduler, "raft-heartbeat", this::periodNanos, this::beat)
                .vital();
    }

    private long periodNanos() {
        return (long) ((1 - random.nextDouble() * EARLIER_HEARTBEATS) * heartbeatNanos);
    }

    /** Runs something whose hand-ins to this executor are carried out right away instead of in their turn. */
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
            // Only the first one: what it hands in itself waits for its turn.
            atOnce = false;
            run(task);
        } else {
            scheduler.execute(() -> run(task));
        }
    }

    @Override
    public void submit(Runnable task) {
        scheduler.execute(() -> run(task));
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        if (task instanceof HeartbeatTask next) {
            heartbeat = next;
            if (!ended.getAsBoolean() && !heartbeats.isRunning()) {
                heartbeats.beginAfter(periodNanos());
            }
            // Otherwise the loop plans it.
            return;
        }
        double units = (double) unit.toNanos(delay) / LIBRARY_SECOND_NANOS;
        if (unit == TimeUnit.MILLISECONDS && delay >= LIBRARY_ELECTION_MILLIS) {
            double noise = (double) (delay - LIBRARY_ELECTION_MILLIS) / LIBRARY_NOISE_MILLIS;
            units = RaftTiming.ELECTION_HEARTBEATS + noise * RaftTiming.ELECTION_SPREAD_HEARTBEATS;
        }
        scheduler.schedule((long) (units * heartbeatNanos), () -> run(task));
    }

    private void beat() {
        clock.look();
        HeartbeatTask task = heartbeat;
        if (task == null || waiting.getAsBoolean()) {
            return;
        }
        thrown = null;
        task.run();
        Throwable kept = thrown;
        if (kept != null) {
            Loops.rethrow("raft-heartbeat", kept);
        }
    }

    /** Something that the library calls throws: the library would only write that into the log. */
    void threw(Throwable failure) {
        thrown = failure;
    }

    /** There are no heartbeats any more. */
    void stop() {
        heartbeats.stop();
    }

    private void run(Runnable task) {
        if (!ended.getAsBoolean()) {
            task.run();
        }
    }
}
