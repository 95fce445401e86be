package dev.granary.overlay;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A leaf: boundaries in ascending order, packed into one byte array without an object for each.
 *
 * <pre>
 *  packed entry, 1 to 8 bytes                      wide entry, 12 bytes
 *  +----------------------+----------------+      +---------------------+--------------+
 *  |  key - base          | number - least |      | key             u64 | number   i32 |
 *  +----------------------+----------------+      +---------------------+--------------+
 *   the bits that are left  refBits, + 1; 0 is {@link BoundaryTree#NONE}
 * </pre>
 *
 * A packed entry has 63 bits at most. Packed entries compare as their keys do, so that a search compares whole entries. An entry has as many bytes as the
 * leaf's keys and numbers need. It only grows while entries are inserted, and is chosen anew when a leaf is split or two
 * are joined. The array has room for a few more entries only, however empty the leaf is: bytes follow entries, not
 * capacity.
 */
final class Leaf extends Node {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int WIDE_ENTRY_BYTES = 12;

    /** One bit less than eight bytes, so that the difference of two entries has a sign. */
    private static final int MAX_PACKED_BITS = 63;

    /** A search first looks at so many entries around where it guessed. */
    private static final int WINDOW = 8;

    /** Free entries after an array has grown. */
    private static final int SPARE_ENTRIES = 10;

    private static final int HEADER_BYTES = 16 + 24;
    private static final int ARRAY_HEADER_BYTES = 16;
    private static final byte[] NO_DATA = {};

    private byte[] data = NO_DATA;
    private long base;

    /** The least number in the leaf but for NONE when it was last encoded. */
    private int baseRef;

    /** 1 to 8: packed. {@link #WIDE_ENTRY_BYTES}: wide. */
    private byte entryBytes = 1;

    private byte refBits;

    /** Entries for each step of the key, about, when it was last encoded or appended to. */
    private float slope;

    long key(int index) {
        return entryBytes == WIDE_ENTRY_BYTES
                ? (long) LONGS.get(data, index * WIDE_ENTRY_BYTES)
                : base + (packed(index) >>> refBits);
    }

    int ref(int index) {
        if (entryBytes == WIDE_ENTRY_BYTES) {
            return (int) INTS.get(data, index * WIDE_ENTRY_BYTES + Long.BYTES);
        }
        long code = packed(index) & lowBits(refBits);
        return code == 0 ? BoundaryTree.NONE : (int) (baseRef + code - 1);
    }

    /** The index of the last entry whose key is not greater; the first key must not be greater. */
    int floorIndex(long key) {
        if (entryBytes == WIDE_ENTRY_BYTES) {
            return floorOfWide(key);
        }
        long offset = key - base;
        return Long.compareUnsigned(offset, maxOffset()) > 0
                ? count - 1
                : floorOfPacked(offset, (offset << refBits) | lowBits(refBits));
    }

    /**
     * The last entry that is not greater than the limit. Where keys are spread evenly it lies in a small window around the
     * guess. Then no branch depends on what was looked up, so that a processor works on several searches at once instead
     * of waiting for the memory of each.
     */
    private int floorOfPacked(long offset, long limit) {
        if (count <= WINDOW) {
            return floorBetween(0, count, limit);
        }
        int guess = (int) Math.min(offset * slope, count - 1);
        int low = Math.max(0, Math.min(guess - WINDOW / 2, count - WINDOW));
        int high = low + WINDOW;
        if (isAtMost(low, limit) && (high == count || !isAtMost(high, limit))) {
            return floorBetween(low, WINDOW, limit);
        }
        return floorBeside(guess, limit);
    }

    /** Searches in ever longer steps from a guess. */
    private int floorBeside(int guess, long limit) {
        int low = 0;
        int high = count;
        int step = WINDOW;
        if (isAtMost(guess, limit)) {
            low = guess;
            while (low + step < high && isAtMost(low + step, limit)) {
                low += step;
                step *= 2;
            }
            high = Math.min(low + step, high);
        } else {
            high = guess;
            while (high - step > 0 && !isAtMost(high - step, limit)) {
                high -= step;
                step *= 2;
            }
            low = Math.max(high - step, 0);
        }
        return floorBetween(low, high - low, limit);
    }

    private int floorBetween(int first, int entries, long limit) {
        int low = first;
        int length = entries;
        while (length > 1) {
            int half = length >>> 1;
            // All bits are set when the entry is greater. No branch: see above.
            long greater = (limit - packed(low + half)) >> (Long.SIZE - 1);
            low += half & (int) ~greater;
            length -= half;
        }
        return low;
    }

    private boolean isAtMost(int index, long limit) {
        return packed(index) <= limit;
    }

    private int floorOfWide(long key) {
        int low = 0;
        int length = count;
        while (length > 1) {
            int half = length >>> 1;
            low = Long.compareUnsigned(key(low + half), key) <= 0 ? low + half : low;
            length -= half;
        }
        return low;
    }

    /** Inserts an entry so that it gets this index; the caller keeps the order. */
    void insert(int index, long key, int ref) {
        if (count == 0 || !fits(key, ref)) {
            long[] keys = new long[count + 1];
            int[] refs = new int[count + 1];
            for (int i = 0; i < count; i++) {
                int at = i < index ? i : i + 1;
                keys[at] = key(i);
                refs[at] = ref(i);
            }
            keys[index] = key;
            refs[index] = ref;
            encode(keys, refs);
            return;
        }
        if (bytesFor(count + 1) > data.length) {
            data = Arrays.copyOf(data, bytesFor(count + 1 + SPARE_ENTRIES));
        }
        System.arraycopy(data, index * entryBytes, data, (index + 1) * entryBytes, (count - index) * entryBytes);
        set(index, key, ref);
        count++;
        updateSlope();
    }

    void remove(int index) {
        System.arraycopy(data, (index + 1) * entryBytes, data, index * entryBytes, (count - index - 1) * entryBytes);
        count--;
        if (data.length > bytesFor(count + 2 * SPARE_ENTRIES)) {
            data = Arrays.copyOf(data, bytesFor(count + SPARE_ENTRIES));
        }
    }

    /** Gives an entry another number. */
    void setRef(int index, int ref) {
        long key = key(index);
        if (fits(key, ref)) {
            set(index, key, ref);
        } else {
            remove(index);
            insert(index, key, ref);
        }
    }

    @Override
    long firstKey() {
        return key(0);
    }

    @Override
    void absorb(Node right) {
        Leaf that = (Leaf) right;
        long[] keys = new long[count + that.count];
        int[] refs = new int[count + that.count];
        copyTo(keys, refs, 0);
        that.copyTo(keys, refs, count);
        encode(keys, refs);
    }

    @Override
    Node splitOff(int fromIndex) {
        long[] keys = new long[count];
        int[] refs = new int[count];
        copyTo(keys, refs, 0);
        Leaf right = new Leaf();
        right.encode(Arrays.copyOfRange(keys, fromIndex, count), Arrays.copyOfRange(refs, fromIndex, count));
        encode(Arrays.copyOf(keys, fromIndex), Arrays.copyOf(refs, fromIndex));
        return right;
    }

    @Override
    long footprintBytes() {
        return (long) HEADER_BYTES + ARRAY_HEADER_BYTES + data.length;
    }

    private void copyTo(long[] keys, int[] refs, int at) {
        for (int i = 0; i < count; i++) {
            keys[at + i] = key(i);
            refs[at + i] = ref(i);
        }
    }

    private boolean fits(long key, int ref) {
        if (entryBytes == WIDE_ENTRY_BYTES) {
            return true;
        }
        boolean keyFits = Long.compareUnsigned(key, base) >= 0 && Long.compareUnsigned(key - base, maxOffset()) <= 0;
        return keyFits && (ref == BoundaryTree.NONE || (ref >= baseRef && code(ref) <= lowBits(refBits)));
    }

    private void encode(long[] keys, int[] refs) {
        int least = Integer.MAX_VALUE;
        int greatest = Integer.MIN_VALUE;
        for (int ref : refs) {
            if (ref != BoundaryTree.NONE) {
                least = Math.min(least, ref);
                greatest = Math.max(greatest, ref);
            }
        }
        baseRef = least;
        base = keys.length == 0 ? 0 : keys[0];
        refBits = (byte) (greatest < least ? 0 : bitsOf(code(greatest)));
        int keyBits = keys.length == 0 ? 0 : bitsOf(keys[keys.length - 1] - base);
        int bits = Math.max(1, keyBits + refBits);
        entryBytes = (byte) (bits > MAX_PACKED_BITS ? WIDE_ENTRY_BYTES : (bits + 7) / 8);
        count = keys.length;
        data = new byte[bytesFor(count + SPARE_ENTRIES)];
        for (int i = 0; i < count; i++) {
            set(i, keys[i], refs[i]);
        }
        updateSlope();
    }

    private void updateSlope() {
        // Negative when the distance needs all 64 bits; wide entries do not use it.
        slope = entryBytes == WIDE_ENTRY_BYTES ? 0 : (count - 1) / (float) Math.max(1, key(count - 1) - base);
    }

    private void set(int index, long key, int ref) {
        int at = index * entryBytes;
        if (entryBytes == WIDE_ENTRY_BYTES) {
            LONGS.set(data, at, key);
            INTS.set(data, at + Long.BYTES, ref);
            return;
        }
        long entry = ((key - base) << refBits) | (ref == BoundaryTree.NONE ? 0 : code(ref));
        for (int i = 0; i < entryBytes; i++) {
            data[at + i] = (byte) (entry >>> (8 * i));
        }
    }

    private long packed(int index) {
        return (long) LONGS.get(data, index * entryBytes) & lowBits(8 * entryBytes);
    }

    /** What stands for a number that is not NONE. */
    private long code(int ref) {
        return (long) ref - baseRef + 1;
    }

    /** The greatest distance of a key from the base that an entry can hold. */
    private long maxOffset() {
        int bits = Math.min(8 * entryBytes, MAX_PACKED_BITS);
        return refBits >= bits ? 0 : lowBits(bits - refBits);
    }

    /** An array for so many entries; the last packed one is read as eight bytes. */
    private int bytesFor(int entries) {
        return entries * entryBytes + (entryBytes < Long.BYTES ? Long.BYTES - entryBytes : 0);
    }

    private static int bitsOf(long value) {
        return Long.SIZE - Long.numberOfLeadingZeros(value);
    }

    private static long lowBits(int bits) {
        return bits >= Long.SIZE ? -1L : (1L << bits) - 1;
    }
}
