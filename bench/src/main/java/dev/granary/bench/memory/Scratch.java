package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * A thread's buffer for payloads, which it writes and checks. Not thread-safe.
 *
 * <p>Every 8 bytes of a payload follow from the object's index and the version, so that a check detects any mixture of
 * two payloads or of two versions. The load writes version 0, puts write version 1.
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

    /** The buffer as an array. */
    public byte[] bytes() {
        return bytes;
    }

    /** The buffer as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** Writes the payload of an object at the start. Up to 7 bytes behind it change as well. */
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
