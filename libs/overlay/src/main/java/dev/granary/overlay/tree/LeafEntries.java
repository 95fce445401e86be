package dev.granary.overlay.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads, searches and writes the entries of a leaf, which are all in the form that the {@link Leaf} says.
 *
 * <pre>
 *  packed entry, 1 to 8 bytes                      wide entry, 12 bytes
 *  +----------------------+----------------+      +---------------------+--------------+
 *  |  key - base          | number - least |      | key             u64 | number   i32 |
 *  +----------------------+----------------+      +---------------------+--------------+
 *   the bits that are left  refBits, + 1; 0 is {@link BoundaryTree#NONE}
 * </pre>
 *
 * A packed entry has 63 bits at most. Packed entries compare as their keys do, so that a search compares whole entries.
 * A read of an entry loads the eight bytes from its first byte on.
 */
final class LeafEntries {

    static final int WIDE_BYTES = 12;

    /** One bit less than eight bytes, so that the difference of two entries has a sign. */
    static final int MAX_PACKED_BITS = 63;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** How many entries around its guess a search looks at first; they usually lie in one cache line, or in two. */
    private static final int WINDOW = 4;

    private LeafEntries() {}

    static long key(byte[] data, int width, int refBits, long base, int index) {
        return width == WIDE_BYTES ? wideKey(data, index) : base + (packed(data, width, index) >>> refBits);
    }

    static int ref(byte[] data, int width, int refBits, int baseRef, int index) {
        if (width == WIDE_BYTES) {
            return (int) INTS.get(data, index * WIDE_BYTES + Long.BYTES);
        }
        long code = packed(data, width, index) & lowBits(refBits);
        return code == 0 ? BoundaryTree.NONE : (int) (baseRef + code - 1);
    }

    static void set(byte[] data, int width, int refBits, int index, long key, long base, int ref, int baseRef) {
        int at = index * width;
        if (width == WIDE_BYTES) {
            LONGS.set(data, at, key);
            INTS.set(data, at + Long.BYTES, ref);
            return;
        }
        long entry = ((key - base) << refBits) | (ref == BoundaryTree.NONE ? 0 : code(ref, baseRef));
        for (int i = 0; i < width; i++) {
            data[at + i] = (byte) (entry >>> (Byte.SIZE * i));
        }
    }

    /** The packed code of a number that is not NONE. */
    static long code(int ref, int baseRef) {
        return (long) ref - baseRef + 1;
    }

    /** Returns how many bits of a packed entry hold the distance of its key from the base. */
    static int keyBits(int width, int refBits) {
        return Math.min(width * Byte.SIZE, MAX_PACKED_BITS) - refBits;
    }

    static long lowBits(int bits) {
        return (1L << bits) - 1;
    }

    /**
     * The index of the last entry whose key is not greater; the first key must not be greater.
     *
     * @param slope about how many entries there are for each step of the key
     */
    static int floor(byte[] data, int width, int refBits, int count, long base, float slope, long key) {
        if (width == WIDE_BYTES) {
            return floorOfWide(data, count, key);
        }
        long offset = key - base;
        if (offset >>> keyBits(width, refBits) != 0) {
            return count - 1;
        }
        int guess = (int) (offset * slope);
        return floorNear(data, width, count, guess, (offset << refBits) | lowBits(refBits));
    }

    /**
     * The last entry that is not greater than the limit. Where keys are spread evenly it lies in a small window around
     * the guess. Then no branch depends on the key. So a processor works on several searches at once instead of waiting
     * for the memory of each, and it loads all entries of the window together.
     */
    private static int floorNear(byte[] data, int width, int count, int guess, long limit) {
        if (count <= WINDOW) {
            return floorBetween(data, width, 0, count, limit);
        }
        int low = Math.max(0, Math.min(guess - WINDOW / 2, count - 1 - WINDOW));
        // Negative when one of the two is: then the answer lies outside the window.
        if (((limit - packed(data, width, low)) | (packed(data, width, low + WINDOW) - limit - 1)) < 0) {
            return floorBeside(data, width, count, Math.min(guess, count - 1), limit);
        }
        long greater = 0;
        for (int i = 1; i < WINDOW; i++) {
            // One less for each entry that is greater.
            greater += (limit - packed(data, width, low + i)) >> (Long.SIZE - 1);
        }
        return low + WINDOW - 1 + (int) greater;
    }

    /** Searches from a guess in steps that double, then by bisection. */
    private static int floorBeside(byte[] data, int width, int count, int guess, long limit) {
        int low = 0;
        int high = count;
        int step = WINDOW;
        if (packed(data, width, guess) <= limit) {
            low = guess;
            while (low + step < high && packed(data, width, low + step) <= limit) {
                low += step;
                step *= 2;
            }
            high = Math.min(low + step, high);
        } else {
            high = guess;
            while (high - step > 0 && packed(data, width, high - step) > limit) {
                high -= step;
                step *= 2;
            }
            low = Math.max(high - step, 0);
        }
        return floorBetween(data, width, low, high - low, limit);
    }

    private static int floorBetween(byte[] data, int width, int first, int entries, long limit) {
        int low = first;
        int length = entries;
        while (length > 1) {
            int half = length >>> 1;
            // All bits are set when the entry is greater. No branch: see above.
            long greater = (limit - packed(data, width, low + half)) >> (Long.SIZE - 1);
            low += half & (int) ~greater;
            length -= half;
        }
        return low;
    }

    private static int floorOfWide(byte[] data, int count, long key) {
        int low = 0;
        int length = count;
        while (length > 1) {
            int half = length >>> 1;
            low = Long.compareUnsigned(wideKey(data, low + half), key) <= 0 ? low + half : low;
            length -= half;
        }
        return low;
    }

    private static long wideKey(byte[] data, int index) {
        return (long) LONGS.get(data, index * WIDE_BYTES);
    }

    private static long packed(byte[] data, int width, int index) {
        return (long) LONGS.get(data, index * width) & (-1L >>> (Long.SIZE - width * Byte.SIZE));
    }
}
