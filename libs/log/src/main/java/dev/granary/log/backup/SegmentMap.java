package dev.granary.log.backup;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A map from ordinals to segments, used for each entry that is overwritten. It makes no boxed integers, and finds the
 * segment of the last call at once, because entries that were written together are overwritten together. Not
 * thread-safe.
 */
final class SegmentMap {

    private Segment[] sorted = new Segment[8];
    private int size;
    private @Nullable Segment last;

    void put(Segment segment) {
        int at = search(segment.ordinal());
        if (at >= 0) {
            sorted[at] = segment;
        } else {
            insert(-at - 1, segment);
        }
        last = segment;
    }

    private void insert(int at, Segment segment) {
        if (size == sorted.length) {
            sorted = Arrays.copyOf(sorted, 2 * size);
        }
        System.arraycopy(sorted, at, sorted, at + 1, size - at);
        sorted[at] = segment;
        size++;
    }

    void remove(Segment segment) {
        int at = search(segment.ordinal());
        if (at >= 0) {
            System.arraycopy(sorted, at + 1, sorted, at, size - at - 1);
            // One segment is there twice now, behind the end, until the next one takes its place.
            size--;
        }
        last = null;
    }

    /** Returns the segment of an ordinal, null if it is gone. */
    @Nullable
    Segment get(int ordinal) {
        Segment before = last;
        if (before != null && before.ordinal() == ordinal) {
            return before;
        }
        int at = search(ordinal);
        if (at < 0) {
            return null;
        }
        last = sorted[at];
        return last;
    }

    private int search(int ordinal) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int found = sorted[middle].ordinal();
            if (found == ordinal) {
                return middle;
            }
            if (found < ordinal) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }
}
