package dev.granary.storage.keyed.hot;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The keys with the greatest sums of weights, in memory that does not grow: Space-Saving (Metwally, Agrawal, El Abbadi,
 * "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005) with weights.
 *
 * <pre>
 *   slot      hash      weight   error    key
 *   0         0x3f..    900      0        user:1
 *   1         0x81..    320      310      user:7     310 of these may be of keys that had the slot before
 * </pre>
 *
 * <p>A key that has no slot takes the one with the smallest weight, and adds to it. So a key with more than a
 * {@value #SLOTS}th of all weights has a slot, and its weight exceeds its true one by its error at most. What is told
 * is the weight without the error: a key had at least that. Not thread-safe.
 */
final class HeavyKeys {

    /** Four times the most keys that are told. */
    static final int SLOTS = 256;

    static final int NO_SLOT = -1;

    /** The rest of a longer key is not kept; keys are told apart by a hash of all their bytes. */
    static final int KEPT_KEY_BYTES = 1024;

    private static final int LEAST_KEY_BYTES = 32;

    private final long[] hashes = new long[SLOTS];
    private final long[] weights = new long[SLOTS];
    private final long[] errors = new long[SLOTS];
    private final byte[][] keys = new byte[SLOTS][];
    private final int[] lengths = new int[SLOTS];
    private int used;

    /**
     * A key and its weight.
     *
     * @param key its first bytes, up to {@value #KEPT_KEY_BYTES}
     * @param weight at least so much is of this key
     * @param slot in which it is until keys are added
     */
    @SuppressWarnings("ArrayRecordComponent") // It is written to clients, never compared.
    record Entry(byte[] key, long weight, int slot) {}

    HeavyKeys() {
        Arrays.fill(keys, new byte[0]);
    }

    /**
     * Adds a weight to a key.
     *
     * @param hash of all bytes of the key
     * @return the slot of the key; {@link #NO_SLOT} if there is nothing to add
     */
    int add(long hash, ByteBuf buffer, int start, int length, long weight) {
        if (weight <= 0) {
            return NO_SLOT;
        }
        int least = 0;
        for (int i = 0; i < used; i++) {
            if (hashes[i] == hash) {
                weights[i] += weight;
                return i;
            }
            if (weights[i] < weights[least]) {
                least = i;
            }
        }
        int slot = used < SLOTS ? used++ : least;
        errors[slot] = weights[slot];
        weights[slot] += weight;
        hashes[slot] = hash;
        keep(slot, buffer, start, Math.min(length, KEPT_KEY_BYTES));
        return slot;
    }

    private void keep(int slot, ByteBuf buffer, int start, int length) {
        if (keys[slot].length < length) {
            keys[slot] = new byte[Math.max(LEAST_KEY_BYTES, length)];
        }
        buffer.getBytes(start, keys[slot], 0, length);
        lengths[slot] = length;
    }

    /** Returns the keys with the greatest weights, the greatest first. */
    List<Entry> top(int most) {
        List<Entry> entries = new ArrayList<>(used);
        for (int i = 0; i < used; i++) {
            if (weights[i] > errors[i]) {
                entries.add(new Entry(Arrays.copyOf(keys[i], lengths[i]), weights[i] - errors[i], i));
            }
        }
        entries.sort(Comparator.comparingLong(Entry::weight).reversed());
        return entries.size() <= most ? entries : List.copyOf(entries.subList(0, most));
    }

    /** Halves all weights so many times. Keys of which nothing is left stay in their slots, with no weight. */
    void halve(int times) {
        for (int i = 0; i < used; i++) {
            weights[i] >>= times;
            errors[i] >>= times;
        }
    }

    /** Returns a hash of bytes; the same bytes have the same one as long as the process lives. */
    static long hash(ByteBuf buffer, int start, int length) {
        long hash = length * 0x9E3779B97F4A7C15L;
        int at = start;
        int end = start + length;
        for (; end - at >= Long.BYTES; at += Long.BYTES) {
            hash = mix(hash ^ buffer.getLongLE(at));
        }
        long rest = 0;
        for (; at < end; at++) {
            rest = rest << Byte.SIZE | buffer.getUnsignedByte(at);
        }
        return mix(hash ^ rest);
    }

    /** The finish of SplitMix64. */
    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
