package dev.granary.env;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Work of a node that is done once, in steps that begin with answers of others or after a pause. No step ends it
 * silently: a step that throws is counted and reported to {@link Loops} under the work's name. After a pause its way
 * out follows, which is repeated until it does not throw. {@link Loop} is for what is done again and again.
 *
 * <p>What a step throws would otherwise end in a future that nobody looks at, or in a log, with the others waiting for
 * ever. Thread-safe; steps are tasks of the scheduler.
 */
public final class Steps {

    private final Scheduler scheduler;
    private final String name;
    private final long retryNanos;

    /**
     * Has no state of its own: one serves all work of a kind.
     *
     * @param name in lower case with hyphens, for people and metrics
     * @param retryNanos from a failure to the way out
     */
    public Steps(Scheduler scheduler, String name, long retryNanos) {
        this.scheduler = scheduler;
        this.name = name;
        this.retryNanos = retryNanos;
    }

    /** Takes a step now, in this task; if it throws, the way out follows later, until that does not throw. */
    public void run(Runnable step, Runnable wayOut) {
        try {
            scheduler.loops().beforeStep(name);
            step.run();
        } catch (Throwable thrown) {
            // Planned before the failure is reported, because the report may throw.
            after(retryNanos, wayOut, wayOut);
            scheduler.loops().failed(name, thrown);
        }
    }

    /** Takes a step after a while. */
    public void after(long delayNanos, Runnable step, Runnable wayOut) {
        try {
            scheduler.schedule(delayNanos, () -> run(step, wayOut));
        } catch (RejectedExecutionException e) {
            // The scheduler was closed, and with it all that runs there.
            return;
        }
    }

    /** Takes a step after a while, and again if it throws. */
    public void after(long delayNanos, Runnable step) {
        after(delayNanos, step, step);
    }

    /** Takes a step with an answer or the failure, one of which is null, as a task of the scheduler. */
    public <T> void then(
            CompletableFuture<T> answer, BiConsumer<@Nullable T, @Nullable Throwable> step, Runnable wayOut) {
        var _ = answer.whenComplete(
                (result, failure) -> scheduler.execute(() -> run(() -> step.accept(result, failure), wayOut)));
    }
}
