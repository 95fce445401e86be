package dev.granary.raft;

import dev.granary.env.Scheduler;
import io.microraft.executor.RaftNodeExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs the library's tasks on a scheduler, in a time of its own: the library counts heartbeats in whole seconds, and one
 * of its seconds is one heartbeat of ours (SAFETY rule 7). Used by the scheduler's tasks only.
 */
final class ScaledExecutor implements RaftNodeExecutor {

    private static final long LIBRARY_SECOND_NANOS = 1_000_000_000;

    private final Scheduler scheduler;
    private final long heartbeatNanos;
    private final BooleanSupplier ended;
    private boolean atOnce;

    ScaledExecutor(Scheduler scheduler, long heartbeatNanos, BooleanSupplier ended) {
        this.scheduler = scheduler;
        this.heartbeatNanos = heartbeatNanos;
        this.ended = ended;
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
        scheduler.schedule((long) (heartbeats * heartbeatNanos), () -> run(task));
    }

    private void run(Runnable task) {
        if (!ended.getAsBoolean()) {
            task.run();
        }
    }
}
