package dev.granary.storage.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs durable changes of one zone's copy one after the other, because each change depends on the state of the copy.
 * Changes of different zones run at the same time and are synced together. Thread-safe.
 */
final class CopyTurns {

    @GuardedBy("last")
    private final Map<Integer, CompletableFuture<?>> last = new HashMap<>();

    /** Begins {@code work} when all earlier work of the same zone has ended, with success or not. */
    <T> CompletableFuture<T> take(int zone, Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> turn = new CompletableFuture<>();
        CompletableFuture<?> before;
        synchronized (last) {
            before = last.put(zone, turn);
        }
        if (before == null) {
            begin(zone, work, turn);
        } else {
            var _ = before.whenComplete((done, failure) -> begin(zone, work, turn));
        }
        return turn;
    }

    private <T> void begin(int zone, Supplier<CompletableFuture<T>> work, CompletableFuture<T> turn) {
        CompletableFuture<T> begun;
        try {
            begun = work.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        var _ = begun.whenComplete((done, failure) -> {
            synchronized (last) {
                last.remove(zone, turn);
            }
            if (failure == null) {
                turn.complete(done);
            } else {
                turn.completeExceptionally(failure);
            }
        });
    }
}
