package dev.granary.log.backup;

import java.nio.ByteBuffer;

/**
 * The batches of a zone that are not in its segments yet, one behind the other. Guarded by the zone's monitor.
 *
 * <pre>
 *  bytes   | in segments | flushed | not flushed | free |
 *          0             start                   end
 * </pre>
 */
final class Pending {

    private static final int INITIAL_BYTES = 1 << 10;

    /** Above this size an array grows by a quarter only, because the old and the new array are in memory together. */
    private static final int LARGE_BYTES = 4 << 20;

    /** A zone with at least this many pending bytes counts as written all the time. */
    private static final int SPARE_FROM_BYTES = 128 << 10;

    private static final byte[] NONE = new byte[0];

    private final SpareArrays spares;
    private byte[] bytes = NONE;
    private int start;
    private int length;
    private int flushed;

    /** The size that recent arrays had before they were empty again: the next array begins with that size. */
    private int usual;

    Pending(SpareArrays spares) {
        this.spares = spares;
    }

    int length() {
        return length;
    }

    /** Returns how many bytes from the beginning are in the primary log as well. */
    int flushed() {
        return flushed;
    }

    /**
     * Returns the batches, between position and limit of an array. These bytes do not change until all of them were
     * removed: an array that becomes too small is replaced by another one.
     */
    ByteBuffer view() {
        return ByteBuffer.wrap(bytes, start, length);
    }

    void append(byte[] from, int offset, int count) {
        if (start + length + count > bytes.length) {
            int room = length < LARGE_BYTES ? length : length / 4;
            // As large as the last ones at once: what grows by doubling is allocated and copied twice.
            int wanted = Math.max(Math.max(length + count, usual), Math.max(INITIAL_BYTES, length + room));
            byte[] next = wanted < SPARE_FROM_BYTES ? new byte[wanted] : spares.take(wanted);
            System.arraycopy(bytes, start, next, 0, length);
            bytes = next;
            start = 0;
        }
        System.arraycopy(from, offset, bytes, start + length, count);
        length += count;
    }

    void markFlushed(int upTo) {
        flushed = Math.max(flushed, upTo);
    }

    /**
     * Drops batches that are in a segment now. It copies nothing, as there may be a thousand times as much behind them.
     *
     * @param viewed whether a thread may still read a view that was taken before, so that its bytes must stay
     */
    void removeFirst(int count, boolean viewed) {
        length -= count;
        start += count;
        flushed = Math.max(0, flushed - count);
        if (length == 0) {
            usual = Math.min(SpareArrays.MAX_BYTES, Math.max(start, usual / 2));
            if (!viewed) {
                spares.give(bytes);
            }
            bytes = NONE;
            start = 0;
        }
    }

    /** Keeps only what a cut left. None of it counts as written to the primary log any more. */
    void replace(byte[] kept, int count) {
        bytes = kept;
        start = 0;
        length = count;
        flushed = 0;
    }
}
