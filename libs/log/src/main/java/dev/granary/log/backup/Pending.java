package dev.granary.log.backup;

import java.util.Arrays;

/** The batches of a zone that are not in its segments yet, one behind the other. Guarded by the zone's monitor. */
final class Pending {

    private static final int INITIAL_BYTES = 1 << 10;
    private static final byte[] NONE = new byte[0];

    private byte[] bytes = NONE;
    private int length;
    private int flushed;

    int length() {
        return length;
    }

    /** So much from the beginning is in the primary log as well. */
    int flushed() {
        return flushed;
    }

    /** The bytes; what lies before {@link #length} never changes, an array that grew is replaced by another one. */
    byte[] array() {
        return bytes;
    }

    void append(byte[] from, int offset, int count) {
        if (length + count > bytes.length) {
            int capacity = Math.max(length + count, Math.max(INITIAL_BYTES, 2 * length));
            bytes = Arrays.copyOf(bytes, capacity);
        }
        System.arraycopy(from, offset, bytes, length, count);
        length += count;
    }

    void markFlushed(int upTo) {
        flushed = Math.max(flushed, upTo);
    }

    /** Drops what is in a segment now. */
    void removeFirst(int count) {
        int rest = length - count;
        // Others may still read the old array, so nothing moves inside of it.
        byte[] next = rest == 0 ? NONE : new byte[Math.max(INITIAL_BYTES, 2 * rest)];
        System.arraycopy(bytes, count, next, 0, rest);
        bytes = next;
        length = rest;
        flushed = Math.max(0, flushed - count);
    }

    /** Keeps only what a cut left. Nothing of it counts as written any more. */
    void replace(byte[] kept, int count) {
        bytes = kept;
        length = count;
        flushed = 0;
    }
}
