package dev.granary.overlay;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A leaf: boundaries in ascending order, packed into one byte array without an object for each.
 *
 * <pre>
 *   narrow keys (all within 2^32 of the base)      wide keys
 *  +----------------+-----------+                 +---------------------+-----------+
 *  | key - base  u32| ref 16/32 |  ...            | key             u64 | ref 16/32 |  ...
 *  +----------------+-----------+                 +---------------------+-----------+
 * </pre>
 *
 * An entry takes 6, 8, 10 or 12 bytes. Widths only grow while entries are inserted; they are chosen anew, as narrow as
 * possible, when a leaf is split or two are joined. The array has room for a few more entries only, however empty the
 * leaf is: bytes follow entries, not capacity.
 */
final class Leaf extends Node {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int WIDE_KEY_BYTES = 8;
    private static final int NARROW_KEY_BYTES = 4;
    private static final int WIDE_REF_BYTES = 4;
    private static final int NARROW_REF_BYTES = 2;
    private static final long MAX_NARROW_OFFSET = 0xFFFF_FFFFL;
    private static final int MAX_NARROW_REF = 0xFFFF;

    /** Free entries after an array has grown. */
    private static final int SPARE_ENTRIES = 12;

    private static final int HEADER_BYTES = 16 + 24;
    private static final int ARRAY_HEADER_BYTES = 16;

    private byte[] data;
    private long base;
    private byte keyBytes;
    private byte refBytes;

    /** An empty leaf. */
    Leaf() {
        data = new byte[SPARE_ENTRIES * (NARROW_KEY_BYTES + NARROW_REF_BYTES)];
        keyBytes = NARROW_KEY_BYTES;
        refBytes = NARROW_REF_BYTES;
    }

    long key(int index) {
        int at = index * (keyBytes + refBytes);
        return keyBytes == NARROW_KEY_BYTES
                ? base + ((int) INTS.get(data, at) & MAX_NARROW_OFFSET)
                : (long) LONGS.get(data, at);
    }

    int ref(int index) {
        int at = index * (keyBytes + refBytes) + keyBytes;
        return refBytes == NARROW_REF_BYTES ? (short) SHORTS.get(data, at) & MAX_NARROW_REF : (int) INTS.get(data, at);
    }

    /** The index of the last entry whose key is not greater, or -1 when all are greater. */
    int floorIndex(long key) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(key(middle), key) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Inserts an entry so that it gets this index; the caller keeps the order. */
    void insert(int index, long key, int ref) {
        if (count == 0) {
            base = key;
        }
        boolean keyFits = keyBytes == WIDE_KEY_BYTES || fitsNarrow(base, key);
        boolean refFits = refBytes == WIDE_REF_BYTES || ref <= MAX_NARROW_REF;
        if (!keyFits || !refFits) {
            encode(
                    copyKeys(),
                    copyRefs(),
                    keyFits ? keyBytes : WIDE_KEY_BYTES,
                    refFits ? refBytes : WIDE_REF_BYTES,
                    base);
        }
        int stride = keyBytes + refBytes;
        if ((count + 1) * stride > data.length) {
            data = Arrays.copyOf(data, (count + 1 + SPARE_ENTRIES) * stride);
        }
        System.arraycopy(data, index * stride, data, (index + 1) * stride, (count - index) * stride);
        set(index, key, ref);
        count++;
    }

    void remove(int index) {
        int stride = keyBytes + refBytes;
        System.arraycopy(data, (index + 1) * stride, data, index * stride, (count - index - 1) * stride);
        count--;
        if (data.length > (count + 2 * SPARE_ENTRIES) * stride) {
            data = Arrays.copyOf(data, (count + SPARE_ENTRIES) * stride);
        }
    }

    @Override
    long firstKey() {
        return key(0);
    }

    @Override
    void absorb(Node right) {
        Leaf that = (Leaf) right;
        long[] keys = Arrays.copyOf(copyKeys(), count + that.count);
        int[] refs = Arrays.copyOf(copyRefs(), count + that.count);
        System.arraycopy(that.copyKeys(), 0, keys, count, that.count);
        System.arraycopy(that.copyRefs(), 0, refs, count, that.count);
        encodeNarrowest(keys, refs);
    }

    @Override
    Node splitOff(int fromIndex) {
        long[] keys = copyKeys();
        int[] refs = copyRefs();
        Leaf right = new Leaf();
        right.encodeNarrowest(
                Arrays.copyOfRange(keys, fromIndex, keys.length), Arrays.copyOfRange(refs, fromIndex, refs.length));
        encodeNarrowest(Arrays.copyOf(keys, fromIndex), Arrays.copyOf(refs, fromIndex));
        return right;
    }

    @Override
    long footprintBytes() {
        return (long) HEADER_BYTES + ARRAY_HEADER_BYTES + data.length;
    }

    private long[] copyKeys() {
        long[] keys = new long[count];
        Arrays.setAll(keys, this::key);
        return keys;
    }

    private int[] copyRefs() {
        int[] refs = new int[count];
        Arrays.setAll(refs, this::ref);
        return refs;
    }

    private static boolean fitsNarrow(long base, long key) {
        return Long.compareUnsigned(base, key) <= 0 && Long.compareUnsigned(key - base, MAX_NARROW_OFFSET) <= 0;
    }

    private void encodeNarrowest(long[] keys, int[] refs) {
        long newBase = keys.length == 0 ? 0 : keys[0];
        int newKeyBytes =
                keys.length == 0 || fitsNarrow(newBase, keys[keys.length - 1]) ? NARROW_KEY_BYTES : WIDE_KEY_BYTES;
        int newRefBytes = NARROW_REF_BYTES;
        for (int ref : refs) {
            if (ref > MAX_NARROW_REF) {
                newRefBytes = WIDE_REF_BYTES;
            }
        }
        encode(keys, refs, newKeyBytes, newRefBytes, newBase);
    }

    private void encode(long[] keys, int[] refs, int newKeyBytes, int newRefBytes, long newBase) {
        byte[] newData = new byte[(keys.length + SPARE_ENTRIES) * (newKeyBytes + newRefBytes)];
        data = newData;
        base = newBase;
        keyBytes = (byte) newKeyBytes;
        refBytes = (byte) newRefBytes;
        count = keys.length;
        for (int i = 0; i < keys.length; i++) {
            set(i, keys[i], refs[i]);
        }
    }

    private void set(int index, long key, int ref) {
        int at = index * (keyBytes + refBytes);
        if (keyBytes == NARROW_KEY_BYTES) {
            INTS.set(data, at, (int) (key - base));
        } else {
            LONGS.set(data, at, key);
        }
        if (refBytes == NARROW_REF_BYTES) {
            SHORTS.set(data, at + keyBytes, (short) ref);
        } else {
            INTS.set(data, at + keyBytes, ref);
        }
    }
}
