package dev.granary.storage.replicate;

import dev.granary.net.message.Durability;

/**
 * How an owner replicates.
 *
 * @param durability of requests that do not ask for another one
 * @param timeoutNanos a backup that has not answered for this long is dropped, if enough others are left
 * @param requestBytes about how many bytes of batches go into one request
 * @param requestsInFlight how many requests to one backup are on their way at most
 * @param bounds of the memory that this takes
 */
public record ReplicationConfig(
        Durability durability, long timeoutNanos, int requestBytes, int requestsInFlight, ReplicationBounds bounds) {

    /** Returns durability {@code replicated}, a timeout of 300 ms, and no bounds beside those of the memory plan. */
    public static ReplicationConfig defaults() {
        return new ReplicationConfig(Durability.REPLICATED, 300_000_000L, 512 << 10, 4, ReplicationBounds.NONE);
    }

    public ReplicationConfig withDurability(Durability level) {
        return new ReplicationConfig(level, timeoutNanos, requestBytes, requestsInFlight, bounds);
    }

    public ReplicationConfig withTimeoutNanos(long nanos) {
        return new ReplicationConfig(durability, nanos, requestBytes, requestsInFlight, bounds);
    }

    /** Returns the same with another size of requests to backups, and with the lower of both bounds. */
    public ReplicationConfig within(int newRequestBytes, ReplicationBounds others) {
        return new ReplicationConfig(durability, timeoutNanos, newRequestBytes, requestsInFlight, bounds.and(others));
    }
}
