package dev.granary.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Keys with values, in a cluster that keeps them beside chunks. Clients of the Redis protocol see the same keys; what
 * is set here is a string there. Each key is found in one hop, at the storage peer that owns the slot group of its
 * hash. Thread-safe. Futures fail with a {@link GranaryException}.
 *
 * <p>A change is sent at most once: if its answer is lost, as when the owner dies at that moment, the future fails with
 * {@link OutcomeUnknownException}. Whoever sets or deletes alone may simply do so again. Reads are repeated until the
 * deadline.
 *
 * <p>A batch goes to each owner in a few messages. It is no transaction: others may see a part of it, and when it fails
 * a part of it may have been carried out. Keys with the same tag in braces, as {@code {user:7}:name}, have the same
 * owner.
 *
 * <p>A lifetime is how long after the change a key expires: at least a millisecond, counted in milliseconds. A set
 * without a lifetime removes an earlier one.
 *
 * @param <K> what stands for a key
 */
public interface AsyncKeys<K> {

    /** The most bytes of a key and its value together. */
    int MAX_BYTES = (8 << 20) - 64;

    /** Gives the value of a key; empty when there is no such key. */
    CompletableFuture<Optional<byte[]>> get(K key);

    /** Gives the values of those keys that there are, in the order of the keys. */
    CompletableFuture<Map<K, byte[]>> getAll(Collection<? extends K> keys);

    /** Sets the value of a key, whether there is the key or not. */
    CompletableFuture<Void> set(K key, byte[] value);

    /** Sets the value of a key that expires. */
    CompletableFuture<Void> set(K key, byte[] value, Duration lifetime);

    /** Sets the values of keys. */
    CompletableFuture<Void> setAll(Map<? extends K, byte[]> values);

    /** Sets the values of keys that expire. */
    CompletableFuture<Void> setAll(Map<? extends K, byte[]> values, Duration lifetime);

    /** Sets the value of a key unless there is the key. Gives whether it has set the value. */
    CompletableFuture<Boolean> setIfAbsent(K key, byte[] value);

    /** Sets the value of a key that expires, unless there is the key. Gives whether it has set the value. */
    CompletableFuture<Boolean> setIfAbsent(K key, byte[] value, Duration lifetime);

    /** Sets the value of a key if there is the key. Gives whether it has set the value. */
    CompletableFuture<Boolean> setIfPresent(K key, byte[] value);

    /** Sets the value of a key, and lets it expire, if there is the key. Gives whether it has set the value. */
    CompletableFuture<Boolean> setIfPresent(K key, byte[] value, Duration lifetime);

    /**
     * Sets the value of a key if the key has the expected one. Gives whether it has set the value. Reads the value
     * first, so that it takes two messages.
     */
    CompletableFuture<Boolean> replace(K key, byte[] expected, byte[] value);

    /** Does the same as {@link #replace(Object, byte[], byte[])}, and lets the key expire. */
    CompletableFuture<Boolean> replace(K key, byte[] expected, byte[] value, Duration lifetime);

    /** Lets a key expire. Gives whether there is the key. */
    CompletableFuture<Boolean> expire(K key, Duration lifetime);

    /** Deletes a key. Gives whether there was the key. */
    CompletableFuture<Boolean> delete(K key);

    /** Deletes a key if it has the expected value. Gives whether it has deleted the key; takes two messages. */
    CompletableFuture<Boolean> delete(K key, byte[] expected);

    /** Deletes keys. Gives how many of them there were. */
    CompletableFuture<Long> deleteAll(Collection<? extends K> keys);
}
