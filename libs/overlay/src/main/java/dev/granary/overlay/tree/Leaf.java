package dev.granary.overlay.tree;

import java.util.Arrays;

/**
 * A leaf: boundaries in ascending order, packed into one byte array without an object for each. The leaves of a tree
 * have no objects either: a {@link Twig} keeps the array and three words of each, and makes this object from them to
 * read or to change a leaf.
 *
 * <pre>
 *  base      u64  the first key when the leaf was last encoded
 *  numbers        slope f32 | least number i32
 *  shape          refBits u8, from bit 40 | bytes of an entry u8, from bit 32 | number of entries i32
 * </pre>
 *
 * An entry, see {@link LeafEntries}, has as many bytes as the leaf's keys and numbers need. This width only grows while
 * entries are inserted; a split or a join of leaves chooses it again. The array has room for only a few more entries,
 * however empty the leaf is: bytes follow entries, not capacity.
 */
final class Leaf {

    private static final int ENTRY_BYTES_SHIFT = 32;
    private static final int REF_BITS_SHIFT = 40;

    /** Free entries after an array has grown. */
    private static final int SPARE_ENTRIES = 10;

    private static final byte[] NO_DATA = {};

    private byte[] data;
    private int count;
    private long base;

    /** The least number in the leaf, without NONE, when the leaf was last encoded. */
    private int baseRef;

    /** 1 to 8: packed. {@link LeafEntries#WIDE_BYTES}: wide. */
    private int entryBytes;

    private int refBits;

    /** About how many entries there were for each step of the key at the last encoding or appending. */
    private float slope;

    /** A leaf without entries. */
    Leaf() {
        data = NO_DATA;
        entryBytes = 1;
    }

    /** Makes a leaf of the four parts that a {@link Twig} keeps. */
    Leaf(byte[] entries, long base, long numbers, long shape) {
        data = entries;
        this.base = base;
        slope = slopeOf(numbers);
        baseRef = (int) numbers;
        count = (int) shape;
        entryBytes = entryBytesOf(shape);
        refBits = refBitsOf(shape);
    }

    byte[] entries() {
        return data;
    }

    long base() {
        return base;
    }

    long numbers() {
        return (long) Float.floatToRawIntBits(slope) << Integer.SIZE | Integer.toUnsignedLong(baseRef);
    }

    long shape() {
        return (long) refBits << REF_BITS_SHIFT | (long) entryBytes << ENTRY_BYTES_SHIFT | count;
    }

    /** The number of entries. */
    int count() {
        return count;
    }

    long key(int index) {
        return LeafEntries.key(data, entryBytes, refBits, base, index);
    }

    int ref(int index) {
        return LeafEntries.ref(data, entryBytes, refBits, baseRef, index);
    }

    /** The index of the last entry whose key is not greater; the first key must not be greater. */
    int floorIndex(long key) {
        return LeafEntries.floor(data, entryBytes, refBits, count, base, slope, key);
    }

    /** Returns the number at a key, in the leaf that a {@link Twig} keeps as these parts. A lookup makes no object. */
    static int refAt(byte[] entries, long base, long numbers, long shape, long key) {
        int entryBytes = entryBytesOf(shape);
        int refBits = refBitsOf(shape);
        int index = LeafEntries.floor(entries, entryBytes, refBits, (int) shape, base, slopeOf(numbers), key);
        return LeafEntries.ref(entries, entryBytes, refBits, (int) numbers, index);
    }

    private static int entryBytesOf(long shape) {
        return (int) (shape >>> ENTRY_BYTES_SHIFT) & 0xFF;
    }

    private static int refBitsOf(long shape) {
        return (int) (shape >>> REF_BITS_SHIFT);
    }

    private static float slopeOf(long numbers) {
        return Float.intBitsToFloat((int) (numbers >>> Integer.SIZE));
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

    /** Appends everything of the right neighbour, which must not be used afterwards. */
    void absorb(Leaf right) {
        long[] keys = new long[count + right.count];
        int[] refs = new int[count + right.count];
        copyTo(keys, refs, 0);
        right.copyTo(keys, refs, count);
        encode(keys, refs);
    }

    /** Moves the entries from an index on into a new leaf, the right neighbour of this one. */
    Leaf splitOff(int fromIndex) {
        long[] keys = new long[count];
        int[] refs = new int[count];
        copyTo(keys, refs, 0);
        Leaf right = new Leaf();
        right.encode(Arrays.copyOfRange(keys, fromIndex, count), Arrays.copyOfRange(refs, fromIndex, count));
        encode(Arrays.copyOf(keys, fromIndex), Arrays.copyOf(refs, fromIndex));
        return right;
    }

    private void copyTo(long[] keys, int[] refs, int at) {
        for (int i = 0; i < count; i++) {
            keys[at + i] = key(i);
            refs[at + i] = ref(i);
        }
    }

    private boolean fits(long key, int ref) {
        if (entryBytes == LeafEntries.WIDE_BYTES) {
            return true;
        }
        boolean keyFits =
                Long.compareUnsigned(key, base) >= 0 && (key - base) >>> LeafEntries.keyBits(entryBytes, refBits) == 0;
        return keyFits && (ref == BoundaryTree.NONE || (ref >= baseRef && code(ref) <= LeafEntries.lowBits(refBits)));
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
        refBits = greatest < least ? 0 : bitsOf(code(greatest));
        int keyBits = keys.length == 0 ? 0 : bitsOf(keys[keys.length - 1] - base);
        int bits = Math.max(1, keyBits + refBits);
        entryBytes = bits > LeafEntries.MAX_PACKED_BITS ? LeafEntries.WIDE_BYTES : (bits + 7) / 8;
        count = keys.length;
        data = new byte[bytesFor(count + SPARE_ENTRIES)];
        for (int i = 0; i < count; i++) {
            set(i, keys[i], refs[i]);
        }
        updateSlope();
    }

    private void updateSlope() {
        // Negative when the distance needs all 64 bits; wide entries do not use it.
        slope = entryBytes == LeafEntries.WIDE_BYTES ? 0 : (count - 1) / (float) Math.max(1, key(count - 1) - base);
    }

    private void set(int index, long key, int ref) {
        LeafEntries.set(data, entryBytes, refBits, index, key, base, ref, baseRef);
    }

    private long code(int ref) {
        return LeafEntries.code(ref, baseRef);
    }

    /** Returns the length of an array for a number of entries; the last packed entry is read as eight bytes. */
    private int bytesFor(int entries) {
        return entries * entryBytes + (entryBytes < Long.BYTES ? Long.BYTES - entryBytes : 0);
    }

    private static int bitsOf(long value) {
        return Long.SIZE - Long.numberOfLeadingZeros(value);
    }
}
