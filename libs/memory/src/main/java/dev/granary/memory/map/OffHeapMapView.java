package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * An entry where it lies in an {@link OffHeapMap}, shown to a function or a listener while the group's latch is held.
 * It copies out what is wanted, so nobody keeps addresses of the map. When the call is over it refuses everything.
 *
 * <p>Belongs to the thread that it is shown to.
 */
public final class OffHeapMapView {

    private final MapMemory memory;
    private final int keyBytes;
    private final int valueBytes;
    private final long expiryMillis;

    /** Where key and value begin, or the word of the first piece of a chain that has them. */
    private final long place;

    private final boolean chained;
    private boolean ended;

    OffHeapMapView(MapMemory memory, boolean chained, long place, int keyBytes, int valueBytes, long expiryMillis) {
        this.memory = memory;
        this.chained = chained;
        this.place = place;
        this.keyBytes = keyBytes;
        this.valueBytes = valueBytes;
        this.expiryMillis = expiryMillis;
    }

    /** The key's size. */
    public int keyBytes() {
        return keyBytes;
    }

    /** The value's size. */
    public int valueBytes() {
        return valueBytes;
    }

    /** When the entry expires, or {@link OffHeapMap#NEVER}. */
    public long expiryMillis() {
        return expiryMillis;
    }

    /** Copies the key. */
    public void copyKey(MemorySegment target, long targetOffset) {
        copy(0, keyBytes, target, targetOffset);
    }

    /**
     * Copies a part of the value.
     *
     * @param from the first byte of the part
     * @param sizeBytes how many bytes the part has
     * @throws IndexOutOfBoundsException if the value has less, or the target
     */
    public void copyValue(int from, int sizeBytes, MemorySegment target, long targetOffset) {
        Objects.checkFromIndexSize(from, sizeBytes, valueBytes);
        copy(keyBytes + from, sizeBytes, target, targetOffset);
    }

    /** A copy of the key. */
    public byte[] key() {
        byte[] key = new byte[keyBytes];
        copyKey(MemorySegment.ofArray(key), 0);
        return key;
    }

    /** A copy of the value. */
    public byte[] value() {
        byte[] value = new byte[valueBytes];
        copyValue(0, valueBytes, MemorySegment.ofArray(value), 0);
        return value;
    }

    private void copy(int skipBytes, int sizeBytes, MemorySegment target, long targetOffset) {
        if (ended) {
            throw new IllegalStateException("this view of an off-heap map's entry was for the call only");
        }
        Objects.checkFromIndexSize(targetOffset, sizeBytes, target.byteSize());
        if (!chained) {
            memory.copyOut(place + skipBytes, target, targetOffset, sizeBytes);
        } else if (!MapChains.copyOut(memory, place, skipBytes, target, targetOffset, sizeBytes)) {
            throw new IllegalStateException("a chain of the off-heap map is damaged");
        }
    }

    /** From now on the entry may be elsewhere. */
    void end() {
        ended = true;
    }
}
