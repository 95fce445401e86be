package dev.granary.log.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Keeps a few large arrays, so that what comes next uses them again: batches that wait, segments that the cleaner
 * reads. Without this a zone that is written without a pause would allocate arrays at several times the rate of its
 * batches. The garbage collector gets the other arrays. Thread-safe.
 */
final class SpareArrays {

    /** Smaller arrays are not kept. */
    static final int MIN_BYTES = 512 << 10;

    static final int MAX_BYTES = 4 << 20;

    @GuardedBy("this")
    private final byte[][] kept;

    @GuardedBy("this")
    private int count;

    /**
     * @param most how many arrays are kept
     */
    SpareArrays(int most) {
        kept = new byte[most][];
    }

    /** Returns an array of {@code sizeBytes} or more, with arbitrary contents. */
    synchronized byte[] take(int sizeBytes) {
        for (int i = 0; i < count; i++) {
            byte[] found = kept[i];
            if (found.length >= sizeBytes) {
                kept[i] = kept[--count];
                kept[count] = null;
                return found;
            }
        }
        return new byte[Math.max(sizeBytes, MIN_BYTES)];
    }

    /** Takes an array that nobody reads or writes any more. */
    synchronized void give(byte[] array) {
        if (array.length >= MIN_BYTES && array.length <= MAX_BYTES && count < kept.length) {
            kept[count++] = array;
        }
    }
}
