package dev.granary.memory.map;

import dev.granary.memory.ReservationException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A concurrent map of binary keys to binary values outside the Java heap, of which only a few fields and counters lie
 * on it. It grows and shrinks one group of some 44 entries at a time, without a pause, and takes 4 to 5 bytes an entry
 * beside key and value when it is large (ADR 0013).
 *
 * <p>Keys are 0 to {@link #MAX_KEY_BYTES} bytes, key and value together at most {@link #MAX_ENTRY_BYTES}. An entry may
 * have a time when it expires, in milliseconds of the clock that the map was opened with; from then on no operation
 * returns it, and {@link #expire} or a change to its key takes it away.
 *
 * <p>Thread-safe. Every operation on one key is atomic; batches are not, as wholes. Reads validate what they read, and
 * write nothing but a bit of use where the map evicts by use; writers hold the latch of one group for about a
 * microsecond. A read of an entry that is absent or too large for its target may have written to the target, within the
 * given capacity.
 *
 * <p>A map may have a limit of bytes, and evict entries to stay below it ({@link OffHeapMapEviction}). A listener
 * learns of every change ({@link OffHeapMapListener}).
 *
 * <p>An operation that is refused throws an {@link OffHeapMapException} and leaves the map as it was, but for entries
 * that were evicted to make way for it. After {@link #close} every operation throws {@link IllegalStateException}; no
 * operation may be running while the map is being closed.
 */
public interface OffHeapMap extends AutoCloseable {

    /** Instead of a size: there is no such key. */
    int ABSENT = -1;

    /** Instead of a size in a batch: the value is larger than what was left of the target. */
    int DOES_NOT_FIT = -2;

    /** Instead of a time: the entry never expires. */
    long NEVER = 0;

    /** The latest time of expiry. The earliest is 1. */
    long MAX_EXPIRY_MILLIS = Long.MAX_VALUE;

    /** 64 KiB. */
    int MAX_KEY_BYTES = MapChains.MAX_KEY_BYTES;

    /** Of key and value together: 16 MiB. */
    int MAX_ENTRY_BYTES = MapChains.MAX_ENTRY_BYTES;

    /** Sees entries; the segments are valid during the call only, and are copies. */
    @FunctionalInterface
    interface Visitor {
        /**
         * One entry.
         *
         * @param expiryMillis when it expires, or {@link #NEVER}
         */
        void entry(MemorySegment key, MemorySegment value, long expiryMillis);
    }

    /**
     * Opens an empty map.
     *
     * @throws ReservationException if the operating system refuses the address space
     */
    static OffHeapMap open(OffHeapMapConfig config) {
        return new GroupedMap(config);
    }

    /**
     * Copies a value.
     *
     * @param capacityBytes how much of the target may be written
     * @return the value's size, or {@link #ABSENT}
     * @throws OffHeapMapException.TargetTooSmall if the value is larger than the capacity
     */
    int get(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment target,
            long targetOffset,
            int capacityBytes);

    /** A value's size, or {@link #ABSENT}. */
    int sizeOf(MemorySegment key, long keyOffset, int keyBytes);

    /** When an entry expires, {@link #NEVER}, or {@link #ABSENT}. */
    long expiryOf(MemorySegment key, long keyOffset, int keyBytes);

    /**
     * Inserts or replaces an entry.
     *
     * @param expiryMillis when it expires, or {@link #NEVER}; replacing an entry replaces its expiry
     * @return true if the key was absent
     * @throws OffHeapMapException.EntryTooLarge if key or value are too large
     * @throws OffHeapMapException.OutOfMemory if there is no room
     */
    boolean put(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment value,
            long valueOffset,
            int valueBytes,
            long expiryMillis);

    /**
     * Inserts an entry unless its key is there.
     *
     * @return true if the key was absent
     */
    boolean putIfAbsent(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment value,
            long valueOffset,
            int valueBytes,
            long expiryMillis);

    /**
     * Replaces a value if it is what the caller expects.
     *
     * @return whether it was replaced
     */
    boolean replace(MemorySegment key, MemorySegment expected, MemorySegment value, long expiryMillis);

    /**
     * Removes an entry.
     *
     * @return whether it was there
     */
    boolean remove(MemorySegment key, long keyOffset, int keyBytes);

    /**
     * Changes when an entry expires.
     *
     * @return whether it was there
     */
    boolean expireAt(MemorySegment key, long keyOffset, int keyBytes, long expiryMillis);

    /**
     * Lets a function see an entry, or that it is absent, and decide what becomes of it; nothing comes between.
     *
     * @return whether something has changed: a value or an expiry was written, or an entry was removed
     * @throws OffHeapMapException.OutOfMemory if there is no room for what the function wants
     */
    boolean update(MemorySegment key, long keyOffset, int keyBytes, OffHeapMapUpdate function);

    /**
     * Copies the values of many keys, one behind the other, two to three times as fast as one by one.
     *
     * @param keys where the keys lie
     * @param keyOffsets where each key begins in it
     * @param keySizes how long each is
     * @param from index of the first key in the arrays
     * @param count how many keys
     * @param target takes the values, each directly behind the one before
     * @param sizes takes each value's size from index {@code from} on, {@link #ABSENT}, or {@link #DOES_NOT_FIT} for
     *     one that did not fit into the rest of the target, which does not end the batch
     * @return how many bytes of the target were used
     */
    long getBatch(
            MemorySegment keys,
            int[] keyOffsets,
            int[] keySizes,
            int from,
            int count,
            MemorySegment target,
            long targetOffset,
            long capacityBytes,
            int[] sizes);

    /**
     * Inserts or replaces many entries. When one of them is refused those before it are in the map.
     *
     * @param values where the values lie
     * @return how many keys were absent
     */
    int putBatch(
            MemorySegment keys,
            int[] keyOffsets,
            int[] keySizes,
            MemorySegment values,
            int[] valueOffsets,
            int[] valueSizes,
            int from,
            int count,
            long expiryMillis);

    /**
     * Shows the entries of the group at a cursor to the visitor, without a latch held. Going from 0 until 0 comes back
     * shows every entry that is there throughout exactly once, however the map grows or shrinks meanwhile, and entries
     * that come or go at most once. The cursor may be kept for as long as the map is open.
     *
     * @return the next cursor, or 0 at the end
     */
    long scan(long cursor, Visitor visitor);

    /** Shows all entries, as {@link #scan} does. */
    default void forEach(Visitor visitor) {
        long cursor = 0;
        do {
            cursor = scan(cursor, visitor);
        } while (cursor != 0);
    }

    /**
     * Removes expired entries from the next {@code maxGroups} hash groups. The next call goes on behind them. A sweep
     * over all of them takes a call with {@link OffHeapMapStatistics#groups}.
     *
     * @return how many entries were removed
     */
    int expire(int maxGroups);

    /** How many entries there are, expired ones included that have not been taken away. */
    long size();

    /** Removes all entries, group by group; those put meanwhile may stay. */
    void clear();

    /** Figures; exact when nobody writes. */
    OffHeapMapStatistics statistics();

    /** Checks every invariant. Nobody may write meanwhile. */
    OffHeapMapReport verify();

    /** Gives all memory back. */
    @Override
    void close();

    /** Whether a key is there. */
    default boolean containsKey(MemorySegment key, long keyOffset, int keyBytes) {
        return sizeOf(key, keyOffset, keyBytes) != ABSENT;
    }

    /** A copy of a value, or null. */
    default byte @Nullable [] get(byte[] key) {
        MemorySegment keySegment = MemorySegment.ofArray(key);
        for (int size = sizeOf(keySegment, 0, key.length); size != ABSENT; ) {
            byte[] value = new byte[size];
            try {
                size = get(keySegment, 0, key.length, MemorySegment.ofArray(value), 0, size);
                if (size == value.length) {
                    return value;
                }
                // It was replaced by a smaller one meanwhile.
            } catch (OffHeapMapException.TargetTooSmall e) {
                size = e.neededBytes();
            }
        }
        return null;
    }

    /** Inserts or replaces an entry that never expires; true if the key was absent. */
    default boolean put(byte[] key, byte[] value) {
        return put(key, value, NEVER);
    }

    /** Inserts or replaces an entry; true if the key was absent. */
    default boolean put(byte[] key, byte[] value, long expiryMillis) {
        return put(
                MemorySegment.ofArray(key), 0, key.length, MemorySegment.ofArray(value), 0, value.length, expiryMillis);
    }

    /** Inserts an entry that never expires unless its key is there; true if the key was absent. */
    default boolean putIfAbsent(byte[] key, byte[] value) {
        return putIfAbsent(
                MemorySegment.ofArray(key), 0, key.length, MemorySegment.ofArray(value), 0, value.length, NEVER);
    }

    /** Lets a function decide what becomes of an entry; whether something has changed. */
    default boolean update(byte[] key, OffHeapMapUpdate function) {
        return update(MemorySegment.ofArray(key), 0, key.length, function);
    }

    /** Removes an entry; whether it was there. */
    default boolean remove(byte[] key) {
        return remove(MemorySegment.ofArray(key), 0, key.length);
    }

    /** Whether a key is there. */
    default boolean containsKey(byte[] key) {
        return containsKey(MemorySegment.ofArray(key), 0, key.length);
    }
}
