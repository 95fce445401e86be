package dev.granary.storage.data;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the operations that are inside and lets nobody in any more once it is closed: chunk memory must not be given
 * back while an operation uses it. Thread-safe.
 *
 * <p>Invariants: (1) the count is the number of {@link #enter}s that returned true without their {@link #exit}; (2)
 * once the closed bit is set no enter returns true; (3) the future completes when both hold: closed,
 * and a count of zero.
 */
public final class OperationGate {

    private static final long CLOSED = 1L << 62;

    private final AtomicLong state = new AtomicLong();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();

    /** Lets an operation in; when this returns true, {@link #exit} must follow. */
    public boolean enter() {
        if (state.incrementAndGet() < CLOSED) {
            return true;
        }
        exit();
        return false;
    }

    /** The operation is over. */
    public void exit() {
        long left = state.decrementAndGet();
        assert left >= 0 && left != CLOSED - 1 : left;
        if (left == CLOSED) {
            empty.complete(null);
        }
    }

    /** Lets nobody in any more. The future completes, on the thread of the last operation, when all are out. */
    public CompletableFuture<Void> close() {
        long before = state.getAndUpdate(value -> value | CLOSED);
        if (before == 0) {
            empty.complete(null);
        }
        return empty;
    }
}
