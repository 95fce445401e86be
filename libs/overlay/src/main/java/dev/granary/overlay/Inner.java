package dev.granary.overlay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An inner node: children in order, and between two children the first key below the right one. The separator is always
 * exact, so that a search learns the end of a range on its way down.
 */
final class Inner extends Node {

    private static final int HEADER_BYTES = 16 + 24;
    private static final int ARRAY_HEADER_BYTES = 16;

    /** A search first looks at so many separators around where an even spread would put the key. */
    private static final int WINDOW = 8;

    /** Free places after the arrays have grown. */
    private static final int SPARE_CHILDREN = 8;

    /** {@code separators[i]} is the first key below {@code children[i + 1]}. */
    private long[] separators;

    private @Nullable Node[] children;

    /** How far the last separator is from the first one, unsigned. */
    private long span;

    /** Separators for each step of the key, about. */
    private float slope;

    Inner(int capacity) {
        separators = new long[capacity];
        children = new Node[capacity];
    }

    Node child(int index) {
        Node child = children[index];
        if (child == null) {
            throw new IllegalStateException("no child " + index + " of " + count);
        }
        return child;
    }

    long separator(int index) {
        return separators[index];
    }

    /**
     * The index of the child below which the key belongs. No branch depends on the key, or hardly one, so that a processor
     * works on several searches at once; a compiler may not be relied on for that, since it goes by the keys it has seen.
     */
    int childIndexOf(long key) {
        if (count < 2) {
            return 0;
        }
        long[] keys = separators;
        long offset = key - keys[0];
        if (Long.compareUnsigned(offset, span) > 0) {
            return Long.compareUnsigned(key, keys[0]) < 0 ? 0 : count - 1;
        }
        if (span < 0) {
            return 1 + floorOfFar(keys, key);
        }
        int last = count - 1;
        if (last > WINDOW) {
            int low = Math.max(0, Math.min((int) (offset * slope) - WINDOW / 2, last - WINDOW));
            int high = low + WINDOW;
            if (key - keys[low] >= 0 && (high == last || key - keys[high] < 0)) {
                return 1 + floorBetween(keys, low, WINDOW, key);
            }
        }
        return 1 + floorBetween(keys, 0, last, key);
    }

    /** The last separator that is not greater, of some of them; they and the key differ by less than 2^63. */
    private static int floorBetween(long[] keys, int first, int separators, long key) {
        int low = first;
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

    private void updateSlope() {
        int last = count - 2;
        span = last < 0 ? 0 : separators[last] - separators[0];
        slope = last / (float) Math.max(1, span);
    }

    /** Inserts a child that is not the first one. */
    void insertChild(int index, Node child) {
        ensureCapacity(count + 1);
        System.arraycopy(children, index, children, index + 1, count - index);
        children[index] = child;
        if (index > 0) {
            System.arraycopy(separators, index - 1, separators, index, count - index);
            separators[index - 1] = child.firstKey();
        }
        count++;
        updateSlope();
    }

    /** Removes a child that is not the first one. */
    void removeChild(int index) {
        System.arraycopy(children, index + 1, children, index, count - index - 1);
        System.arraycopy(separators, index, separators, index - 1, count - index - 1);
        count--;
        children[count] = null;
        updateSlope();
    }

    /** Makes the separator to the left of a child exact again; does nothing for the first child. */
    void refreshSeparator(int childIndex) {
        if (childIndex > 0 && childIndex < count) {
            separators[childIndex - 1] = child(childIndex).firstKey();
            updateSlope();
        }
    }

    @Override
    long firstKey() {
        return child(0).firstKey();
    }

    @Override
    void absorb(Node right) {
        Inner that = (Inner) right;
        ensureCapacity(count + that.count);
        separators[count - 1] = that.firstKey();
        System.arraycopy(that.separators, 0, separators, count, that.count - 1);
        System.arraycopy(that.children, 0, children, count, that.count);
        count += that.count;
        updateSlope();
    }

    @Override
    Node splitOff(int fromIndex) {
        int moved = count - fromIndex;
        Inner right = new Inner(moved + SPARE_CHILDREN);
        System.arraycopy(children, fromIndex, right.children, 0, moved);
        System.arraycopy(separators, fromIndex, right.separators, 0, moved - 1);
        right.count = moved;
        Arrays.fill(children, fromIndex, count, null);
        count = fromIndex;
        updateSlope();
        right.updateSlope();
        return right;
    }

    @Override
    long footprintBytes() {
        long bytes = HEADER_BYTES + 2 * ARRAY_HEADER_BYTES + 8L * separators.length + 4L * children.length;
        for (int i = 0; i < count; i++) {
            bytes += child(i).footprintBytes();
        }
        return bytes;
    }

    private void ensureCapacity(int needed) {
        if (needed > children.length) {
            separators = Arrays.copyOf(separators, needed + SPARE_CHILDREN);
            children = Arrays.copyOf(children, needed + SPARE_CHILDREN);
        }
    }
}
