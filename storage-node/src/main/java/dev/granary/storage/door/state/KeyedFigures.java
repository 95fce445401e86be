package dev.granary.storage.door.state;

/**
 * What a storage peer tells of its keys and their memory, as {@code INFO} shows it.
 *
 * @param usedBytes chunk memory in use, with bookkeeping
 * @param payloadBytes the part of it that is payload
 * @param capacityBytes size of the chunk memory
 * @param keys keys in the slot groups that this peer owns
 * @param expiringKeys those of them that have a time at which they expire
 * @param expired keys that have expired, since the start
 * @param evicted keys that were evicted, since the start
 * @param hits reads of keys that were there, since the start
 * @param misses reads of keys that were not there, since the start
 * @param copies how many backups have a change when it is answered; 0 when changes are answered without waiting
 */
public record KeyedFigures(
        long usedBytes,
        long payloadBytes,
        long capacityBytes,
        long keys,
        long expiringKeys,
        long expired,
        long evicted,
        long hits,
        long misses,
        int copies) {}
