package dev.granary.storage.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Has what changes a zone's copy durably happen one after the other: each looks at the copy first and acts upon that.
 * What concerns different zones goes side by side and is synced together. Thread-safe.
 */
final class CopyTurns {

    @GuardedBy("last")
    private final Map<Integer, CompletableFuture<?>> last = new HashMap<>();

    /** Begins something when everything before it of the same zone has ended, well or not. */
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
