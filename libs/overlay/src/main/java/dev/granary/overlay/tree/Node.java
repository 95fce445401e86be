package dev.granary.overlay.tree;

import java.util.Arrays;

/**
 * A node of a {@link BoundaryTree}: elements in order, and between two of them the first key of the right one. The
 * elements of an {@link Inner} are nodes, those of a {@link Twig} are leaves. The separator is always exact, so that a
 * search learns the end of a range on its way down. Not thread-safe.
 */
abstract sealed class Node permits Inner, Twig {

    static final int ARRAY_HEADER_BYTES = 16;

    /** Free places after the arrays have grown. */
    static final int SPARE_ELEMENTS = 8;

    /** The bytes of the object itself, with the references to its arrays. */
    private static final int HEADER_BYTES = 16 + 32;

    /** How many separators around its guess a search looks at first. */
    private static final int WINDOW = 4;

    /** The number of elements. */
    int count;

    /** {@code separators[i]} is the first key of element {@code i + 1}. */
    private long[] separators;

    /** How far the last separator is from the first one, unsigned. */
    private long span;

    /** About how many separators there are for each step of the key. */
    private float slope;

    public Node(int capacity) {
        separators = new long[capacity];
    }

    /** The first key of an element. */
    abstract long firstKeyOf(int index);

    /** Appends everything of the right neighbour, which must not be used afterwards. */
    abstract void absorb(Node right);

    /** Moves the elements from an index on into a new node, the right neighbour of this one. */
    abstract Node splitOff(int fromIndex);

    /** The bytes of heap of this node and all below it, with 16 bytes for each object's header. */
    abstract long footprintBytes();

    /** The smallest key below this node, which must not be empty. */
    final long firstKey() {
        return firstKeyOf(0);
    }

    final long separator(int index) {
        return separators[index];
    }

    /**
     * The index of the element to which the key belongs. Hardly any branch depends on the key, and no load depends on
     * the result of an earlier one, so a processor works on several searches at once. Do not leave this to a compiler:
     * it optimizes for the keys that it has seen.
     */
    final int indexOf(long key) {
        int last = count - 1;
        if (last < 1) {
            return 0;
        }
        long[] keys = separators;
        long offset = key - keys[0];
        if (Long.compareUnsigned(offset, span) > 0) {
            return Long.compareUnsigned(key, keys[0]) < 0 ? 0 : last;
        }
        if (span < 0) {
            return 1 + floorOfFar(keys, key);
        }
        if (last > WINDOW) {
            // The guess assumes an even spread: first over all separators, then from the separator found so on.
            int first = (int) (offset * slope);
            int guess = first + (int) ((key - keys[first]) * slope);
            int low = Math.max(0, Math.min(guess - WINDOW / 2, last - 1 - WINDOW));
            // Negative when one of the two is: then the answer lies outside the window.
            if (((key - keys[low]) | (keys[low + WINDOW] - key - 1)) >= 0) {
                return floorInWindow(keys, low, key) + 1;
            }
        }
        return 1 + floorBetween(keys, last, key);
    }

    private static int floorInWindow(long[] keys, int low, long key) {
        long greater = 0;
        for (int i = 1; i < WINDOW; i++) {
            // One less for each separator that is greater.
            greater += (key - keys[low + i]) >> (Long.SIZE - 1);
        }
        return low + WINDOW - 1 + (int) greater;
    }

    /** The last separator that is not greater; all of them and the key differ by less than 2^63. */
    private static int floorBetween(long[] keys, int separators, long key) {
        int low = 0;
        int length = separators;
        while (length > 1) {
            int half = length >>> 1;
            // All bits are set when the separator is greater.
            long greater = (key - keys[low + half]) >> (Long.SIZE - 1);
            low += half & (int) ~greater;
            length -= half;
        }
        return low;
    }

    private int floorOfFar(long[] keys, long key) {
        int low = 0;
        int length = count - 1;
        while (length > 1) {
            int half = length >>> 1;
            low = Long.compareUnsigned(keys[low + half], key) <= 0 ? low + half : low;
            length -= half;
        }
        return low;
    }

    /** Makes the separator to the left of an element exact again; does nothing for the first one. */
    final void refreshSeparator(int index) {
        if (index > 0 && index < count) {
            separators[index - 1] = firstKeyOf(index);
            updateSlope();
        }
    }

    /** Whether there is no room for more elements. */
    final boolean isFull() {
        return count == separators.length;
    }

    /** Makes room for {@code capacity} separators. */
    final void resizeSeparators(int capacity) {
        separators = Arrays.copyOf(separators, capacity);
    }

    /** Updates count and separators after an element was inserted. */
    final void inserted(int index, long firstKey) {
        if (index > 0) {
            System.arraycopy(separators, index - 1, separators, index, count - index);
            separators[index - 1] = firstKey;
        }
        count++;
        updateSlope();
    }

    /** Updates count and separators after an element was removed that was not the first one. */
    final void removed(int index) {
        System.arraycopy(separators, index, separators, index - 1, count - index - 1);
        count--;
        updateSlope();
    }

    /** Updates count and separators after the right neighbour's elements were appended, for which there is room. */
    final void appended(Node right) {
        separators[count - 1] = right.firstKey();
        System.arraycopy(right.separators, 0, separators, count, right.count - 1);
        count += right.count;
        updateSlope();
    }

    /**
     * Updates both nodes after the elements from an index on moved to the new neighbour, and frees their room.
     */
    final void moved(int fromIndex, Node right) {
        right.count = count - fromIndex;
        System.arraycopy(separators, fromIndex, right.separators, 0, right.count - 1);
        separators = Arrays.copyOf(separators, fromIndex + SPARE_ELEMENTS);
        count = fromIndex;
        updateSlope();
        right.updateSlope();
    }

    /** The bytes of heap of this object and its separators. */
    final long ownBytes() {
        return HEADER_BYTES + ARRAY_HEADER_BYTES + (long) Long.BYTES * separators.length;
    }

    private void updateSlope() {
        int last = count - 2;
        span = last < 0 ? 0 : separators[last] - separators[0];
        slope = last / (float) Math.max(1, span);
    }
}
