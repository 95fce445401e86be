package dev.granary.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Makes a call once for all who ask for the same thing while it is under way. Thread-safe. */
final class SingleFlight<K, V> {

    private final ConcurrentHashMap<K, CompletableFuture<V>> underWay = new ConcurrentHashMap<>();

    /**
     * The answer of the call that is under way for a key, or of a new one; what it throws is how it fails.
     *
     * @param call is made on the caller's thread, with no lock held
     */
    CompletableFuture<V> run(K key, Supplier<CompletableFuture<V>> call) {
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> others = underWay.putIfAbsent(key, mine);
        if (others != null) {
            return others;
        }
        var _ = started(call).whenComplete((value, failure) -> {
            underWay.remove(key);
            if (failure == null) {
                mine.complete(value);
            } else {
                mine.completeExceptionally(Retry.unwrap(failure));
            }
        });
        return mine;
    }

    /** Completes when the call that is under way for a key has ended, however that may be; at once when there is none. */
    CompletableFuture<Void> ended(K key) {
        CompletableFuture<V> present = underWay.get(key);
        return present == null ? CompletableFuture.completedFuture(null) : present.handle((_, _) -> null);
    }

    private static <V> CompletableFuture<V> started(Supplier<CompletableFuture<V>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
