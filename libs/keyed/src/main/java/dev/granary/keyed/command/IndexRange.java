package dev.granary.keyed.command;

/**
 * A range of indexes as Redis's commands take it, within what there is. An index below zero counts from the end.
 *
 * @param first the first index
 * @param last the last index, which belongs to the range; below the first one if the range is empty
 */
record IndexRange(long first, long last) {

    static IndexRange of(long start, long end, long length) {
        if (start < 0 && end < 0 && start > end) {
            return new IndexRange(0, -1);
        }
        return new IndexRange(fromStart(start, length), Math.min(fromStart(end, length), length - 1));
    }

    /** Returns an index counted from the start; the first one for those before it. */
    private static long fromStart(long index, long length) {
        return index < 0 ? Math.max(0, length + index) : index;
    }

    boolean isEmpty() {
        return first > last;
    }
}
