package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * A thread's buffer, with the payloads that are written and expected. Not thread-safe.
 *
 * <p>Every 8 bytes of a payload follow from the object's index and the version, so that any mixture of two payloads, or
 * of two versions, is seen. Version 0 is what the load writes, version 1 what puts write.
 */
public final class Scratch {

    private static final long STEP = 0x9e3779b97f4a7c15L;

    private final byte[] bytes;
    private final MemorySegment segment;

    /** Makes room for payloads of at most {@code capacityBytes}. */
    public Scratch(int capacityBytes) {
        bytes = new byte[Math.addExact(capacityBytes, Long.BYTES)];
        segment = MemorySegment.ofArray(bytes);
    }

    /** The bytes themselves. */
    public byte[] bytes() {
        return bytes;
    }

    /** The same as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** Writes the payload of an object at the start; up to 7 bytes behind it change, too. */
    public void fill(long index, int version, int sizeBytes) {
        long word = mix((index << 1) | version);
        for (int i = 0; i < sizeBytes; i += Long.BYTES) {
            segment.set(JAVA_LONG_UNALIGNED, i, word);
            word += STEP;
        }
    }

    /** Whether the start holds the payload of this object in this version. */
    public boolean holds(long index, int version, int sizeBytes) {
        long word = mix((index << 1) | version);
        int whole = sizeBytes & -Long.BYTES;
        for (int i = 0; i < whole; i += Long.BYTES) {
            if (segment.get(JAVA_LONG_UNALIGNED, i) != word) {
                return false;
            }
            word += STEP;
        }
        int rest = sizeBytes - whole;
        long mask = (1L << (rest * Byte.SIZE)) - 1;
        return ((segment.get(JAVA_LONG_UNALIGNED, whole) ^ word) & mask) == 0;
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
