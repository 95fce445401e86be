package dev.granary.overlay;

/**
 * A B-tree of boundaries: unsigned 64-bit keys, each with a number that holds from this key up to the next one. There is
 * always a boundary at key 0, so that every key has a number; in an empty tree it is {@link #NONE}.
 *
 * <p>Invariants, checked by {@link BoundaryTreeVerifier}:
 *
 * <ol>
 *   <li>Keys ascend strictly (unsigned), and the first is 0.
 *   <li>All leaves have the same depth.
 *   <li>The separator between two children equals the first key below the right one.
 *   <li>No node has more elements than its maximum; every node but the root has at least a quarter of it; a root that is
 *       not a leaf has at least two children.
 * </ol>
 *
 * <p>One writer. Readers beside it must validate what they read, as {@link RangeCache} does: a search terminates in any
 * state that a racing reader can see, but may throw or answer nonsense.
 */
final class BoundaryTree {

    /** The number that means "nothing"; packed best. */
    static final int NONE = 0;

    /** The largest number of entries of a leaf, unless told otherwise. */
    static final int DEFAULT_LEAF_MAX = 256;

    /** The largest number of children of an inner node, unless told otherwise. */
    static final int DEFAULT_INNER_MAX = 256;

    private final int leafMax;
    private final int innerMax;
    private Node root;
    private long size;

    /**
     * A tree with one boundary, at key 0, of {@link #NONE}.
     *
     * @param leafMax at least 4
     * @param innerMax at least 8, so that every inner node has two children and a small child a neighbour
     */
    BoundaryTree(int leafMax, int innerMax) {
        this.leafMax = leafMax;
        this.innerMax = innerMax;
        Leaf leaf = new Leaf();
        leaf.insert(0, 0, NONE);
        root = leaf;
        size = 1;
    }

    Node root() {
        return root;
    }

    /** The number of boundaries, at least 1. */
    long size() {
        return size;
    }

    /** The largest number of elements that this node may have. */
    int maxOf(Node node) {
        return node instanceof Leaf ? leafMax : innerMax;
    }

    /** The smallest number of elements that this node may have when it is not the root. */
    int minOf(Node node) {
        return maxOf(node) / 4;
    }

    /** The number that holds at a key. */
    int refAt(long key) {
        Leaf leaf = leafOf(key);
        return leaf.ref(leaf.floorIndex(key));
    }

    /** What holds around a key: the span up to which, both ends included, and its number. One descent. */
    Run runAt(long key) {
        Node node = root;
        long upper = 0;
        while (node instanceof Inner inner) {
            int index = inner.childIndexOf(key);
            if (index + 1 < inner.count) {
                upper = inner.separator(index);
            }
            node = inner.child(index);
        }
        Leaf leaf = (Leaf) node;
        int index = leaf.floorIndex(key);
        long next = index + 1 < leaf.count ? leaf.key(index + 1) : upper;
        return new Run(leaf.key(index), next - 1, leaf.ref(index));
    }

    /** How many boundaries of a span lie in the leaf of one key of it; those in other leaves are not counted. */
    int countNear(long key, long from, long toInclusive) {
        Leaf leaf = leafOf(key);
        int first = Long.compareUnsigned(leaf.key(0), from) >= 0 ? 0 : leaf.floorIndex(from - 1) + 1;
        return leaf.floorIndex(toInclusive) + 1 - first;
    }

    /** Whether there is a boundary at a key. */
    boolean contains(long key) {
        Leaf leaf = leafOf(key);
        return leaf.key(leaf.floorIndex(key)) == key;
    }

    /** Gives the boundary at a key, which must exist, another number. */
    void setRef(long key, int ref) {
        Leaf leaf = leafOf(key);
        leaf.setRef(leaf.floorIndex(key), ref);
    }

    /** The first boundary after a key, or 0 when there is none. */
    long higherKey(long key) {
        Node node = root;
        long upper = 0;
        while (node instanceof Inner inner) {
            int index = inner.childIndexOf(key);
            if (index + 1 < inner.count) {
                upper = inner.separator(index);
            }
            node = inner.child(index);
        }
        Leaf leaf = (Leaf) node;
        int next = leaf.floorIndex(key) + 1;
        return next < leaf.count ? leaf.key(next) : upper;
    }

    /** Adds a boundary; there must be none at this key. */
    void insert(long key, int ref) {
        insertBelow(root, key, ref);
        if (root.count > maxOf(root)) {
            Node right = root.splitOff(splitIndex(root, key));
            Inner newRoot = new Inner(4);
            newRoot.insertChild(0, root);
            newRoot.insertChild(1, right);
            root = newRoot;
        }
        size++;
    }

    /** Removes the boundary at a key, which must exist and not be 0, and returns its number. */
    int remove(long key) {
        int ref = removeBelow(root, key);
        if (root instanceof Inner inner && inner.count == 1) {
            root = inner.child(0);
        }
        size--;
        return ref;
    }

    long footprintBytes() {
        return root.footprintBytes();
    }

    private Leaf leafOf(long key) {
        Node node = root;
        while (node instanceof Inner inner) {
            node = inner.child(inner.childIndexOf(key));
        }
        return (Leaf) node;
    }

    private void insertBelow(Node node, long key, int ref) {
        if (node instanceof Leaf leaf) {
            leaf.insert(leaf.floorIndex(key) + 1, key, ref);
            return;
        }
        Inner inner = (Inner) node;
        int index = inner.childIndexOf(key);
        Node child = inner.child(index);
        insertBelow(child, key, ref);
        if (child.count > maxOf(child)) {
            inner.insertChild(index + 1, child.splitOff(splitIndex(child, key)));
        }
    }

    /** In the middle, but for leaves that grow at their end: the next entries will follow. */
    private static int splitIndex(Node node, long newKey) {
        boolean appended = node instanceof Leaf leaf && leaf.key(leaf.count - 1) == newKey;
        return appended ? node.count * 3 / 4 : node.count / 2;
    }

    private int removeBelow(Node node, long key) {
        if (node instanceof Leaf leaf) {
            int index = leaf.floorIndex(key);
            if (leaf.key(index) != key) {
                throw new IllegalStateException("no boundary at " + Cid.toHex(key));
            }
            int ref = leaf.ref(index);
            leaf.remove(index);
            return ref;
        }
        Inner inner = (Inner) node;
        int index = inner.childIndexOf(key);
        boolean wasSeparator = index > 0 && inner.separator(index - 1) == key;
        Node child = inner.child(index);
        int ref = removeBelow(child, key);
        if (child.count < minOf(child)) {
            rebalance(inner, index);
        } else if (wasSeparator) {
            inner.refreshSeparator(index);
        }
        return ref;
    }

    /** Joins a child that has become too small with a neighbour, or shares the neighbour's elements with it. */
    private void rebalance(Inner parent, int index) {
        int leftIndex = Math.max(index - 1, 0);
        Node left = parent.child(leftIndex);
        Node right = parent.child(leftIndex + 1);
        boolean share = left.count + right.count > maxOf(left) * 3 / 4;
        left.absorb(right);
        parent.removeChild(leftIndex + 1);
        if (share) {
            parent.insertChild(leftIndex + 1, left.splitOff(left.count / 2));
        }
        parent.refreshSeparator(leftIndex);
    }
}
