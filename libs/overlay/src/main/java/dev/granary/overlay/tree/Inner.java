package dev.granary.overlay.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A node above the lowest ones. */
final class Inner extends Node {

    private static final int REFERENCE_BYTES = 4;

    private @Nullable Node[] children;

    Inner(int capacity) {
        super(capacity);
        children = new Node[capacity];
    }

    Node child(int index) {
        Node child = children[index];
        if (child == null) {
            throw new IllegalStateException("no child " + index + " of " + count);
        }
        return child;
    }

    /** Inserts a child that is not the first one, unless it is the only one. */
    void insertChild(int index, Node child) {
        if (isFull()) {
            resize(count + 1 + SPARE_ELEMENTS);
        }
        System.arraycopy(children, index, children, index + 1, count - index);
        children[index] = child;
        inserted(index, child.firstKey());
    }

    /** Removes a child that is not the first one. */
    void removeChild(int index) {
        System.arraycopy(children, index + 1, children, index, count - index - 1);
        children[count - 1] = null;
        removed(index);
    }

    @Override
    long firstKeyOf(int index) {
        return child(index).firstKey();
    }

    @Override
    void absorb(Node right) {
        Inner that = (Inner) right;
        resize(count + that.count + SPARE_ELEMENTS);
        System.arraycopy(that.children, 0, children, count, that.count);
        appended(that);
    }

    @Override
    Node splitOff(int fromIndex) {
        Inner right = new Inner(count - fromIndex + SPARE_ELEMENTS);
        System.arraycopy(children, fromIndex, right.children, 0, count - fromIndex);
        Arrays.fill(children, fromIndex, count, null);
        children = Arrays.copyOf(children, fromIndex + SPARE_ELEMENTS);
        moved(fromIndex, right);
        return right;
    }

    @Override
    long footprintBytes() {
        long bytes = ownBytes() + ARRAY_HEADER_BYTES + (long) REFERENCE_BYTES * children.length;
        for (int i = 0; i < count; i++) {
            bytes += child(i).footprintBytes();
        }
        return bytes;
    }

    private void resize(int capacity) {
        resizeSeparators(capacity);
        children = Arrays.copyOf(children, capacity);
    }
}
