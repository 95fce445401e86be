package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Futures;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks with a limited number of them under way at once. After a failure no new task starts; the result fails
 * with the first failure once those under way have ended, so that nothing touches the caller's arrays afterwards.
 */
final class Window {

    @GuardedBy("this")
    private final Iterator<Supplier<CompletableFuture<Void>>> tasks;

    private final int limit;
    private final CompletableFuture<Void> result = new CompletableFuture<>();

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private boolean starting;

    @GuardedBy("this")
    private @Nullable Throwable failure;

    private Window(int limit, Iterator<Supplier<CompletableFuture<Void>>> tasks) {
        this.limit = limit;
        this.tasks = tasks;
    }

    static CompletableFuture<Void> run(int limit, Iterator<Supplier<CompletableFuture<Void>>> tasks) {
        Window window = new Window(limit, tasks);
        window.startMore();
        return window.result;
    }

    /** Only one thread starts tasks at a time. Its loop sees tasks that end meanwhile, so nothing recurses. */
    private void startMore() {
        while (true) {
            Supplier<CompletableFuture<Void>> task;
            synchronized (this) {
                if (starting) {
                    return;
                }
                boolean more = failure == null && tasks.hasNext();
                if (!more && running == 0) {
                    break;
                }
                if (!more || running >= limit) {
                    return;
                }
                task = tasks.next();
                running++;
                starting = true;
            }
            CompletableFuture<Void> future;
            try {
                future = task.get();
            } catch (RuntimeException | Error e) {
                // Errors too: there may be no memory for a request, and the caller would wait for ever.
                future = CompletableFuture.failedFuture(e);
            }
            var _ = future.whenComplete((_, thrown) -> ended(thrown));
            synchronized (this) {
                starting = false;
            }
        }
        finish();
    }

    private void ended(@Nullable Throwable thrown) {
        synchronized (this) {
            running--;
            if (thrown != null && failure == null) {
                failure = Futures.causeOf(thrown);
            }
        }
        startMore();
    }

    private void finish() {
        Throwable seen;
        synchronized (this) {
            seen = failure;
        }
        if (seen == null) {
            result.complete(null);
        } else {
            result.completeExceptionally(seen);
        }
    }
}
