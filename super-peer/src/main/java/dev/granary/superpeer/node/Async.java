package dev.granary.superpeer.node;

import dev.granary.env.FatalErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Goes on after a future so that a failure of the further work is never lost. */
public final class Async {

    private static final Logger LOG = LoggerFactory.getLogger(Async.class);

    private Async() {}

    /** Goes on as a task of the executor with the result or the failure, one of which is null. */
    public static <T> void whenDone(
            CompletableFuture<T> future, Executor executor, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        // Not by whenCompleteAsync: what a task throws must reach who watches the tasks, and would end in a future.
        // Refused tasks mean that the node has stopped: then there is nothing to go on with.
        var _ = future.whenComplete(
                (result, failure) -> executor.execute(() -> guarded(() -> then.accept(result, failure))));
    }

    /** Goes on at once where the future completes. */
    public static <T> void whenDone(CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        var _ = future.whenComplete((result, failure) -> guarded(() -> then.accept(result, failure)));
    }

    /**
     * Goes on at once where the future completes, if it has a result. The maker of the future deals with its failure.
     */
    static <T> void then(CompletableFuture<T> future, Consumer<T> then) {
        var _ = future.thenAccept(result -> guarded(() -> then.accept(result)));
    }

    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("work after a future failed");
            throw e;
        } catch (VirtualMachineError e) {
            // It would end in a future that nobody looks at.
            FatalErrors.tell(e);
            throw e;
        }
    }
}
