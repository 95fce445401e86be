package dev.granary.overlay;

/** A node of a {@link BoundaryTree}: a {@link Leaf} or an {@link Inner}. Not thread-safe. */
abstract sealed class Node permits Leaf, Inner {

    /** The number of entries of a leaf, of children of an inner node. */
    int count;

    /** The smallest key below this node, which must not be empty. */
    abstract long firstKey();

    /** Appends everything of the right neighbour, which is not used any more afterwards. */
    abstract void absorb(Node right);

    /** Moves the elements from an index on into a new node, the right neighbour of this one. */
    abstract Node splitOff(int fromIndex);

    /** The bytes of heap of this node and all below it, with 16 bytes for each object's header. */
    abstract long footprintBytes();
}
