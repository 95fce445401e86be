package dev.granary.client.internal;

import dev.granary.env.Futures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Makes a call once for all callers that ask for the same thing while it is under way. Thread-safe. */
final class SingleFlight<K, V> {

    private final ConcurrentHashMap<K, CompletableFuture<V>> underWay = new ConcurrentHashMap<>();

    /**
     * Returns the answer of the call that is under way for a key, or of a new one. If the call throws, the future
     * fails.
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
                mine.completeExceptionally(Futures.causeOf(failure));
            }
        });
        return mine;
    }

    private static <V> CompletableFuture<V> started(Supplier<CompletableFuture<V>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            // Errors too: there may be no memory for a request, and all later callers would wait for this call.
            return CompletableFuture.failedFuture(e);
        }
    }
}
