package dev.granary.overlay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An inner node: children in order, and between two children the first key below the right one. The separator is always
 * exact, so that a search learns the end of a range on its way down.
 */
final class Inner extends Node {

    private static final int HEADER_BYTES = 16 + 16;
    private static final int ARRAY_HEADER_BYTES = 16;

    /** Free places after the arrays have grown. */
    private static final int SPARE_CHILDREN = 8;

    /** {@code separators[i]} is the first key below {@code children[i + 1]}. */
    private long[] separators;

    private @Nullable Node[] children;

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

    /** The index of the child below which the key belongs. */
    int childIndexOf(long key) {
        long[] keys = separators;
        int low = 0;
        int length = count;
        // No branch depends on the data: separator i - 1 stands before child i.
        while (length > 1) {
            int half = length >>> 1;
            low = Long.compareUnsigned(keys[low + half - 1], key) <= 0 ? low + half : low;
            length -= half;
        }
        return low;
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
    }

    /** Removes a child that is not the first one. */
    void removeChild(int index) {
        System.arraycopy(children, index + 1, children, index, count - index - 1);
        System.arraycopy(separators, index, separators, index - 1, count - index - 1);
        count--;
        children[count] = null;
    }

    /** Makes the separator to the left of a child exact again; does nothing for the first child. */
    void refreshSeparator(int childIndex) {
        if (childIndex > 0 && childIndex < count) {
            separators[childIndex - 1] = child(childIndex).firstKey();
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
