package dev.granary.storage.door.state;

/**
 * What a storage peer tells of its keys and their memory, as {@code INFO} shows it.
 *
 * @param usedBytes what the keys of this peer take, with what is beside them and their index
 * @param payloadBytes the part of it that is entries of keys
 * @param limitBytes what they may take at present
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
        long limitBytes,
        long keys,
        long expiringKeys,
        long expired,
        long evicted,
        long hits,
        long misses,
        int copies) {}
