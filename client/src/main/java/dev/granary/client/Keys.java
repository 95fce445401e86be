package dev.granary.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Keys with values; the methods wait for each answer. {@link AsyncKeys} says what they promise. Thread-safe.
 *
 * <pre>{@code
 * Keys<String> keys = granary.keys();
 * keys.set("session:42", session, Duration.ofMinutes(30));
 * Optional<byte[]> session = keys.get("session:42");
 * Map<String, byte[]> found = keys.getAll(List.of("session:42", "session:43"));
 * }</pre>
 *
 * @param <K> what stands for a key
 */
public final class Keys<K> {

    private final AsyncKeys<K> async;

    /** Wraps keys with futures; the methods of the new ones wait for each answer. */
    public Keys(AsyncKeys<K> async) {
        this.async = async;
    }

    /** Returns the value of a key; empty when there is no such key. */
    public Optional<byte[]> get(K key) {
        return GranaryClient.await(async.get(key));
    }

    /** Returns the values of those keys that there are, in the order of the keys. */
    public Map<K, byte[]> getAll(Collection<? extends K> keys) {
        return GranaryClient.await(async.getAll(keys));
    }

    /** Sets the value of a key, whether there is the key or not. */
    public void set(K key, byte[] value) {
        GranaryClient.await(async.set(key, value));
    }

    /** Sets the value of a key that expires. */
    public void set(K key, byte[] value, Duration lifetime) {
        GranaryClient.await(async.set(key, value, lifetime));
    }

    /** Sets the values of keys. */
    public void setAll(Map<? extends K, byte[]> values) {
        GranaryClient.await(async.setAll(values));
    }

    /** Sets the values of keys that expire. */
    public void setAll(Map<? extends K, byte[]> values, Duration lifetime) {
        GranaryClient.await(async.setAll(values, lifetime));
    }

    /** Sets the value of a key unless there is the key. Returns whether it has set the value. */
    public boolean setIfAbsent(K key, byte[] value) {
        return GranaryClient.await(async.setIfAbsent(key, value));
    }

    /** Sets the value of a key that expires, unless there is the key. Returns whether it has set the value. */
    public boolean setIfAbsent(K key, byte[] value, Duration lifetime) {
        return GranaryClient.await(async.setIfAbsent(key, value, lifetime));
    }

    /** Sets the value of a key if there is the key. Returns whether it has set the value. */
    public boolean setIfPresent(K key, byte[] value) {
        return GranaryClient.await(async.setIfPresent(key, value));
    }

    /** Sets the value of a key, and lets it expire, if there is the key. Returns whether it has set the value. */
    public boolean setIfPresent(K key, byte[] value, Duration lifetime) {
        return GranaryClient.await(async.setIfPresent(key, value, lifetime));
    }

    /**
     * Sets the value of a key if the key has the expected one. Returns whether it has set the value. Reads the value
     * first, so that it takes two messages.
     */
    public boolean replace(K key, byte[] expected, byte[] value) {
        return GranaryClient.await(async.replace(key, expected, value));
    }

    /** Does the same as {@link #replace(Object, byte[], byte[])}, and lets the key expire. */
    public boolean replace(K key, byte[] expected, byte[] value, Duration lifetime) {
        return GranaryClient.await(async.replace(key, expected, value, lifetime));
    }

    /** Lets a key expire. Returns whether there is the key. */
    public boolean expire(K key, Duration lifetime) {
        return GranaryClient.await(async.expire(key, lifetime));
    }

    /** Deletes a key. Returns whether there was the key. */
    public boolean delete(K key) {
        return GranaryClient.await(async.delete(key));
    }

    /** Deletes a key if it has the expected value. Returns whether it has deleted the key; takes two messages. */
    public boolean delete(K key, byte[] expected) {
        return GranaryClient.await(async.delete(key, expected));
    }

    /** Deletes keys. Returns how many of them there were. */
    public long deleteAll(Collection<? extends K> keys) {
        return GranaryClient.await(async.deleteAll(keys));
    }
}
