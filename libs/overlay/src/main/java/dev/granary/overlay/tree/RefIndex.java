package dev.granary.overlay.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.IntToLongFunction;

/**
 * Finds record numbers by the hash of their records: open addressing with linear probing over one byte array, at most
 * 15/16 full. A slot has as many bits as it needs and is not aligned to bytes. Records are kept elsewhere: the caller
 * compares them, and gives their hashes again when the table grows. Not thread-safe.
 *
 * <pre>
 *  slot, 16 to 32 bits
 *  +-----------------------+----------------------+
 *  |  bits of the hash     | number; 0 for empty  |
 *  +-----------------------+----------------------+
 *   {@value #HASH_BITS} or more                refBits
 * </pre>
 */
final class RefIndex {

    /** The answer of {@link #at} for an empty slot, which ends a search. */
    static final int END = 0;

    /** The answer of {@link #at} for a slot of another hash. */
    static final int OTHER = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int MIN_CAPACITY = 16;

    /** A slot is read with the eight bytes that begin at the byte in which it begins. */
    private static final int PADDING_BYTES = Long.BYTES;

    /**
     * How many bits of the hash a slot holds, so that few records are compared in vain. A slot with a very large number
     * has room for fewer.
     */
    private static final int HASH_BITS = 4;

    private static final int MIN_SLOT_BITS = 16;
    private static final int ARRAY_HEADER_BYTES = 16;
    private static final long UNSIGNED_INT = 0xFFFF_FFFFL;

    private final IntToLongFunction hashOf;
    private byte[] slots;
    private int slotBits = MIN_SLOT_BITS;
    private int refBits = MIN_SLOT_BITS - HASH_BITS;
    private int capacity = MIN_CAPACITY;
    private int size;
    private int maxRef;

    /**
     * An empty index.
     *
     * @param hashOf gives the hash of a record by its number
     */
    RefIndex(IntToLongFunction hashOf) {
        this.hashOf = hashOf;
        slots = newSlots();
    }

    private byte[] newSlots() {
        return new byte[Math.toIntExact((long) capacity * slotBits / Byte.SIZE + PADDING_BYTES)];
    }

    /** The slot at which the search for a hash begins. */
    int start(long hash) {
        return (int) (((hash >>> Integer.SIZE) * capacity) >>> Integer.SIZE);
    }

    /** The slot after this one. */
    int next(int slot) {
        return slot + 1 == capacity ? 0 : slot + 1;
    }

    /**
     * The number in a slot if its record may have the hash, {@link #OTHER} if it has not, {@link #END} if it is empty.
     */
    int at(int slot, long hash) {
        int value = read(slot);
        if (value == 0) {
            return END;
        }
        return value >>> refBits == hashBits(hash) ? value & refMask() : OTHER;
    }

    int size() {
        return size;
    }

    /** Adds a number that is at least 1 and not in the index. */
    void add(long hash, int ref) {
        maxRef = Math.max(maxRef, ref);
        if ((size + 1) * 16L > capacity * 15L || ref > refMask()) {
            rebuild();
        }
        put(hash, ref);
        size++;
    }

    /** Removes a number that is there. */
    void remove(long hash, int ref) {
        int slot = start(hash);
        while ((read(slot) & refMask()) != ref) {
            if (read(slot) == 0) {
                throw new IllegalStateException("record " + ref + " is not in the index");
            }
            slot = next(slot);
        }
        closeGap(slot);
        size--;
        if (size == 0) {
            capacity = MIN_CAPACITY;
            slots = newSlots();
        }
    }

    /** The bytes of heap. */
    long footprintBytes() {
        return ARRAY_HEADER_BYTES + (long) slots.length;
    }

    /** Moves back what was pushed beyond the slot that becomes empty, so that searches do not end too early. */
    private void closeGap(int emptied) {
        int gap = emptied;
        for (int slot = next(gap); read(slot) != 0; slot = next(slot)) {
            int home = start(hashOf.applyAsLong(read(slot) & refMask()));
            // Cyclic distances: an entry may move to the gap when the gap lies between its home and its slot.
            if (Math.floorMod(slot - home, capacity) >= Math.floorMod(slot - gap, capacity)) {
                write(gap, read(slot));
                gap = slot;
            }
        }
        write(gap, 0);
    }

    private void rebuild() {
        byte[] oldSlots = slots;
        int oldCapacity = capacity;
        int oldSlotBits = slotBits;
        int oldRefMask = refMask();
        // Leave room for a quarter more, so that the next numbers do not soon need one more bit.
        refBits = Integer.SIZE - Integer.numberOfLeadingZeros(maxRef + maxRef / 4);
        slotBits = Math.clamp(refBits + HASH_BITS, MIN_SLOT_BITS, Integer.SIZE);
        capacity = (int) Math.max(MIN_CAPACITY, size * 6L / 5 + 2);
        slots = newSlots();
        for (int slot = 0; slot < oldCapacity; slot++) {
            int ref = read(oldSlots, slot, oldSlotBits) & oldRefMask;
            if (ref != 0) {
                put(hashOf.applyAsLong(ref), ref);
            }
        }
    }

    private void put(long hash, int ref) {
        int slot = start(hash);
        while (read(slot) != 0) {
            slot = next(slot);
        }
        write(slot, hashBits(hash) << refBits | ref);
    }

    private int hashBits(long hash) {
        return (int) hash & mask(slotBits - refBits);
    }

    private int read(int slot) {
        return read(slots, slot, slotBits);
    }

    private static int read(byte[] slots, int slot, int slotBits) {
        long bit = (long) slot * slotBits;
        return (int) ((long) LONGS.get(slots, (int) (bit >>> 3)) >>> (bit & 7)) & mask(slotBits);
    }

    private void write(int slot, int value) {
        long bit = (long) slot * slotBits;
        int at = (int) (bit >>> 3);
        int shift = (int) bit & 7;
        long others = (long) LONGS.get(slots, at) & ~((mask(slotBits) & UNSIGNED_INT) << shift);
        LONGS.set(slots, at, others | (value & UNSIGNED_INT) << shift);
    }

    private int refMask() {
        return mask(refBits);
    }

    private static int mask(int bits) {
        return bits == Integer.SIZE ? -1 : (1 << bits) - 1;
    }
}
