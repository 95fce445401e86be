package dev.granary.client.internal;

import dev.granary.client.AsyncKeys;
import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.StorageFullException;
import dev.granary.client.internal.KeyRequest.Condition;
import dev.granary.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keys, which the owners of their slot groups keep. Thread-safe.
 *
 * @param <K> what stands for a key
 */
final class ClusterKeys<K> implements AsyncKeys<K> {

    /** The reply to a delete when the key has expired. */
    private static final Reply GONE = new Reply.WholeNumber(0);

    private final BatchContext context;
    private final Function<? super K, byte[]> bytesOf;

    ClusterKeys(BatchContext context, Function<? super K, byte[]> bytesOf) {
        this.context = context;
        this.bytesOf = bytesOf;
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(K key) {
        return one("a get", () -> KeyRequest.get(bytesOf.apply(key)), ClusterKeys::value);
    }

    @Override
    public CompletableFuture<Map<K, byte[]>> getAll(Collection<? extends K> keys) {
        List<K> asked = new ArrayList<>(keys);
        return all("a get", asked, key -> KeyRequest.get(bytesOf.apply(key))).thenApply(replies -> {
            Map<K, byte[]> found = new LinkedHashMap<>();
            for (int i = 0; i < asked.size(); i++) {
                K key = asked.get(i);
                value(replies.get(i)).ifPresent(value -> found.put(key, value));
            }
            return found;
        });
    }

    @Override
    public CompletableFuture<Void> set(K key, byte[] value) {
        return set(key, value, null, Condition.ALWAYS).thenAccept(_ -> {});
    }

    @Override
    public CompletableFuture<Void> set(K key, byte[] value, Duration lifetime) {
        return set(key, value, lifetime, Condition.ALWAYS).thenAccept(_ -> {});
    }

    @Override
    public CompletableFuture<Void> setAll(Map<? extends K, byte[]> values) {
        return setEach(values, null);
    }

    @Override
    public CompletableFuture<Void> setAll(Map<? extends K, byte[]> values, Duration lifetime) {
        return setEach(values, lifetime);
    }

    private <E extends K> CompletableFuture<Void> setEach(Map<E, byte[]> values, @Nullable Duration lifetime) {
        List<Map.Entry<E, byte[]>> entries = new ArrayList<>(values.entrySet());
        return all(
                        "a set",
                        entries,
                        entry -> KeyRequest.set(
                                bytesOf.apply(entry.getKey()), entry.getValue(), lifetime, Condition.ALWAYS))
                .thenAccept(_ -> {});
    }

    @Override
    public CompletableFuture<Boolean> setIfAbsent(K key, byte[] value) {
        return set(key, value, null, Condition.IF_ABSENT);
    }

    @Override
    public CompletableFuture<Boolean> setIfAbsent(K key, byte[] value, Duration lifetime) {
        return set(key, value, lifetime, Condition.IF_ABSENT);
    }

    @Override
    public CompletableFuture<Boolean> setIfPresent(K key, byte[] value) {
        return set(key, value, null, Condition.IF_PRESENT);
    }

    @Override
    public CompletableFuture<Boolean> setIfPresent(K key, byte[] value, Duration lifetime) {
        return set(key, value, lifetime, Condition.IF_PRESENT);
    }

    private CompletableFuture<Boolean> set(K key, byte[] value, @Nullable Duration lifetime, Condition condition) {
        return one(
                "a set",
                () -> KeyRequest.set(bytesOf.apply(key), value, lifetime, condition),
                reply -> !reply.equals(Reply.NOTHING));
    }

    @Override
    public CompletableFuture<Boolean> replace(K key, byte[] expected, byte[] value) {
        return replaceIf(key, expected, value, null);
    }

    @Override
    public CompletableFuture<Boolean> replace(K key, byte[] expected, byte[] value, Duration lifetime) {
        return replaceIf(key, expected, value, lifetime);
    }

    private CompletableFuture<Boolean> replaceIf(K key, byte[] expected, byte[] value, @Nullable Duration lifetime) {
        return ifEqual(
                "a replacement",
                () -> KeyRequest.set(bytesOf.apply(key), value, lifetime, Condition.IF_PRESENT),
                expected);
    }

    @Override
    public CompletableFuture<Boolean> expire(K key, Duration lifetime) {
        return one(
                "a change of the lifetime",
                () -> KeyRequest.expire(bytesOf.apply(key), lifetime),
                reply -> count(reply) > 0);
    }

    @Override
    public CompletableFuture<Boolean> delete(K key) {
        return one("a delete", () -> KeyRequest.delete(bytesOf.apply(key)), reply -> count(reply) > 0);
    }

    @Override
    public CompletableFuture<Boolean> delete(K key, byte[] expected) {
        return ifEqual("a delete", () -> KeyRequest.delete(bytesOf.apply(key)), expected);
    }

    @Override
    public CompletableFuture<Long> deleteAll(Collection<? extends K> keys) {
        return all("a delete", List.copyOf(keys), key -> KeyRequest.delete(bytesOf.apply(key)))
                .thenApply(replies ->
                        replies.stream().mapToLong(ClusterKeys::count).sum());
    }

    /** Carries out one request within the deadline of single operations. */
    private <R> CompletableFuture<R> one(String what, Supplier<KeyRequest> maker, Function<Reply, R> reader) {
        KeyRequest request;
        try {
            request = maker.get();
        } catch (InvalidRequestException e) {
            return CompletableFuture.failedFuture(e);
        }
        return one(what, request, deadline()).thenApply(reader);
    }

    private CompletableFuture<Reply> one(String what, KeyRequest request, long deadlineNanos) {
        Supplier<String> named = () -> what + " of key " + request.name();
        return KeyBatch.run(context, named, List.of(request), deadlineNanos)
                .thenApply(replies -> check(named, replies.getFirst()));
    }

    /** Carries out a request for each element within the deadline of batches. */
    private <E> CompletableFuture<List<Reply>> all(String what, List<E> elements, Function<E, KeyRequest> maker) {
        List<KeyRequest> requests = new ArrayList<>(elements.size());
        try {
            elements.forEach(element -> requests.add(maker.apply(element)));
        } catch (InvalidRequestException e) {
            return CompletableFuture.failedFuture(e);
        }
        long deadlineNanos =
                context.retry().deadlineAfter(context.options().batchDeadline().toNanos());
        return KeyBatch.run(context, () -> what + " of " + requests.size() + " keys", requests, deadlineNanos)
                .thenApply(replies -> {
                    for (int i = 0; i < replies.size(); i++) {
                        KeyRequest request = requests.get(i);
                        check(() -> what + " of key " + request.name(), replies.get(i));
                    }
                    return replies;
                });
    }

    /**
     * Carries out a change if the key has a value. Reads the value with a mark, then sends the change with the mark,
     * and begins anew if the key has changed in between.
     */
    private CompletableFuture<Boolean> ifEqual(String what, Supplier<KeyRequest> maker, byte[] expected) {
        try {
            return ifEqual(what, maker.get(), expected, deadline());
        } catch (InvalidRequestException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Boolean> ifEqual(String what, KeyRequest change, byte[] expected, long deadlineNanos) {
        return one(what, KeyRequest.watchAndGet(change.key()), deadlineNanos).thenCompose(reply -> {
            List<Reply> both = ((Reply.Elements) reply).elements();
            Optional<byte[]> value = value(check(() -> what + " of key " + change.name(), both.get(1)));
            if (value.isEmpty() || !Arrays.equals(value.get(), expected)) {
                return CompletableFuture.completedFuture(false);
            }
            long mark = count(((Reply.Elements) both.get(0)).elements().getFirst());
            return one(what, change.ifUnchangedSince(mark), deadlineNanos)
                    .thenCompose(done -> done.equals(Reply.NOTHING) || done.equals(GONE)
                            ? ifEqual(what, change, expected, deadlineNanos)
                            : CompletableFuture.completedFuture(true));
        });
    }

    /** Returns a reply that is no failure. */
    private static Reply check(Supplier<String> what, Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw failure.text().startsWith("OOM")
                    ? new StorageFullException(what.get() + " was refused: its storage peer has no room. Add storage"
                            + " peers or memory, or delete keys.")
                    : new InvalidRequestException(what.get() + " was refused: " + failure.text());
        }
        return reply;
    }

    private static Optional<byte[]> value(Reply reply) {
        return switch (reply) {
            case Reply.Bulk bulk -> Optional.of(bulk.bytes());
            case Reply.Nothing _ -> Optional.empty();
            default -> throw unexpected(reply);
        };
    }

    private static long count(Reply reply) {
        if (reply instanceof Reply.WholeNumber number) {
            return number.value();
        }
        throw unexpected(reply);
    }

    private static GranaryException unexpected(Reply reply) {
        return new GranaryException("a storage peer answered a request on a key with " + reply
                + ", which this client does not expect; use a client of the cluster's version");
    }

    private long deadline() {
        return context.retry().deadlineAfter(context.options().deadline().toNanos());
    }
}
