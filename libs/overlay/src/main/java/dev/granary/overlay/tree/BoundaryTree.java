package dev.granary.overlay.tree;

/**
 * A B-tree of boundaries: unsigned 64-bit keys, each with a number that holds from this key up to the next one. There
 * is always a boundary at key 0, so that every key has a number; in an empty tree it is {@link #NONE}.
 *
 * <p>Invariants, checked by {@link BoundaryTreeVerifier}:
 *
 * <ol>
 *   <li>Keys ascend strictly (unsigned), and the first is 0.
 *   <li>All leaves have the same depth.
 *   <li>The separator between two children or leaves equals the first key of the right one.
 *   <li>No node or leaf has more elements than its maximum. Each has at least a quarter of it, except the root and a
 *       leaf that is alone. A root that is not a twig has at least two children.
 * </ol>
 *
 * <p>One writer. Readers beside it must validate what they read, as {@link RangeCache} does: a search terminates in any
 * state that a racing reader can see, but may throw or return nonsense.
 */
final class BoundaryTree {

    /** The number that means "nothing"; it takes the least room. */
    static final int NONE = 0;

    /** The largest number of entries of a leaf, unless told otherwise. */
    static final int DEFAULT_LEAF_MAX = 256;

    /** The largest number of children of an inner node, and of leaves of a twig, unless told otherwise. */
    static final int DEFAULT_INNER_MAX = 8192;

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
        root = Twig.of(leaf);
        size = 1;
    }

    Node root() {
        return root;
    }

    /** The number of boundaries, at least 1. */
    long size() {
        return size;
    }

    int leafMax() {
        return leafMax;
    }

    /** The smallest number of entries of a leaf that is not alone. */
    int leafMin() {
        return leafMax / 4;
    }

    /** The largest number of elements of a node. */
    int nodeMax() {
        return innerMax;
    }

    /** The smallest number of elements of a node that is not the root. */
    int nodeMin() {
        return innerMax / 4;
    }

    /** The number that holds at a key. */
    int refAt(long key) {
        return twigOf(key).refAt(key);
    }

    /** Returns the run around a key: its first and last key, both included, and its number. Takes one descent. */
    Run runAt(long key) {
        Node node = root;
        long upper = 0;
        while (node instanceof Inner inner) {
            int index = inner.indexOf(key);
            upper = index + 1 < inner.count ? inner.separator(index) : upper;
            node = inner.child(index);
        }
        Twig twig = (Twig) node;
        int leafIndex = twig.indexOf(key);
        upper = leafIndex + 1 < twig.count ? twig.separator(leafIndex) : upper;
        Leaf leaf = twig.leaf(leafIndex);
        int index = leaf.floorIndex(key);
        long next = index + 1 < leaf.count() ? leaf.key(index + 1) : upper;
        return new Run(leaf.key(index), next - 1, leaf.ref(index));
    }

    /** The number of boundaries of a span that lie in the same leaf as {@code key}, which is in the span. */
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
        twigOf(key).setRef(key, ref);
    }

    /** The first boundary after a key, or 0 when there is none. */
    long higherKey(long key) {
        Node node = root;
        long upper = 0;
        while (node instanceof Inner inner) {
            int index = inner.indexOf(key);
            upper = index + 1 < inner.count ? inner.separator(index) : upper;
            node = inner.child(index);
        }
        Twig twig = (Twig) node;
        int leafIndex = twig.indexOf(key);
        upper = leafIndex + 1 < twig.count ? twig.separator(leafIndex) : upper;
        Leaf leaf = twig.leaf(leafIndex);
        int next = leaf.floorIndex(key) + 1;
        return next < leaf.count() ? leaf.key(next) : upper;
    }

    /** Adds a boundary; there must be none at this key. */
    void insert(long key, int ref) {
        insertBelow(root, key, ref);
        if (root.count > nodeMax()) {
            Node right = root.splitOff(root.count / 2);
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
        Twig twig = twigOf(key);
        return twig.leaf(twig.indexOf(key));
    }

    private Twig twigOf(long key) {
        Node node = root;
        while (node instanceof Inner inner) {
            node = inner.child(inner.indexOf(key));
        }
        return (Twig) node;
    }

    private void insertBelow(Node node, long key, int ref) {
        if (node instanceof Twig twig) {
            twig.insert(key, ref, leafMax);
            return;
        }
        Inner inner = (Inner) node;
        int index = inner.indexOf(key);
        Node child = inner.child(index);
        insertBelow(child, key, ref);
        if (child.count > nodeMax()) {
            inner.insertChild(index + 1, child.splitOff(child.count / 2));
        }
    }

    private int removeBelow(Node node, long key) {
        if (node instanceof Twig twig) {
            return twig.remove(key, leafMin(), leafMax);
        }
        Inner inner = (Inner) node;
        int index = inner.indexOf(key);
        boolean wasSeparator = index > 0 && inner.separator(index - 1) == key;
        Node child = inner.child(index);
        int ref = removeBelow(child, key);
        if (child.count < nodeMin()) {
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
        boolean share = left.count + right.count > nodeMax() * 3 / 4;
        left.absorb(right);
        parent.removeChild(leftIndex + 1);
        if (share) {
            parent.insertChild(leftIndex + 1, left.splitOff(left.count / 2));
        }
        parent.refreshSeparator(leftIndex);
    }
}
