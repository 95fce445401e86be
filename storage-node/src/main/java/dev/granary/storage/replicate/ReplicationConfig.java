package dev.granary.storage.replicate;

import dev.granary.net.message.Durability;

/**
 * How an owner replicates.
 *
 * @param durability of requests that do not ask for another one
 * @param timeoutNanos a backup that has not answered for so long is dropped, if enough others are left
 * @param requestBytes about how many bytes of batches go into one request
 * @param requestsInFlight how many requests to one backup are on their way at most
 * @param maxPendingBytes when so much waits for backups, no change is taken
 */
public record ReplicationConfig(
        Durability durability, long timeoutNanos, int requestBytes, int requestsInFlight, long maxPendingBytes) {

    /** Answers when all backups have it in memory; backups may take 300 ms. */
    public static ReplicationConfig defaults() {
        return new ReplicationConfig(Durability.REPLICATED, 300_000_000L, 512 << 10, 4, 128L << 20);
    }

    public ReplicationConfig withDurability(Durability level) {
        return new ReplicationConfig(level, timeoutNanos, requestBytes, requestsInFlight, maxPendingBytes);
    }

    public ReplicationConfig withTimeoutNanos(long nanos) {
        return new ReplicationConfig(durability, nanos, requestBytes, requestsInFlight, maxPendingBytes);
    }
}
