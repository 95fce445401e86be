package dev.granary.raft;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import io.microraft.executor.RaftNodeExecutor;
import io.microraft.impl.task.HeartbeatTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Runs the library's tasks on a scheduler, in a time of its own: the library counts heartbeats in whole seconds, and one
 * of its seconds is one heartbeat of ours (SAFETY rule 7). Used by the scheduler's tasks only.
 *
 * <p>How long an election may take the library draws from a tenth of a second, so from a tenth of a heartbeat: members that
 * begin together would disturb each other again and again, and for ever where messages take longer than that. What it draws
 * is stretched here to {@link RaftTiming#ELECTION_SPREAD_HEARTBEATS}.
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
    private boolean atOnce;

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
        double heartbeats = (double) unit.toNanos(delay) / LIBRARY_SECOND_NANOS;
        if (unit == TimeUnit.MILLISECONDS && delay >= LIBRARY_ELECTION_MILLIS) {
            double noise = (double) (delay - LIBRARY_ELECTION_MILLIS) / LIBRARY_NOISE_MILLIS;
            heartbeats = RaftTiming.ELECTION_HEARTBEATS + noise * RaftTiming.ELECTION_SPREAD_HEARTBEATS;
        }
        if (task instanceof HeartbeatTask) {
            heartbeats -= random.nextDouble() * EARLIER_HEARTBEATS;
        }
        scheduler.schedule((long) (heartbeats * heartbeatNanos), () -> run(task));
    }

    private void run(Runnable task) {
        if (ended.getAsBoolean()) {
            return;
        }
        if (task instanceof HeartbeatTask) {
            clock.look();
        }
        if (task instanceof HeartbeatTask && waiting.getAsBoolean()) {
            schedule(task, 1, TimeUnit.SECONDS);
        } else {
            task.run();
        }
    }
}
