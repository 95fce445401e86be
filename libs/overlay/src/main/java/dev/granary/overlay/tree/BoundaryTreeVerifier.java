package dev.granary.overlay.tree;

import dev.granary.overlay.Cid;

/** Checks the invariants of a {@link BoundaryTree}. The caller keeps writers away. */
final class BoundaryTreeVerifier {

    private final BoundaryTree tree;
    private final EntryVisitor visitor;
    private int leafDepth = -1;
    private long entries;
    private long previousKey;

    /** Visits every entry in order. */
    interface EntryVisitor {
        void visit(long key, int ref);
    }

    BoundaryTreeVerifier(BoundaryTree tree, EntryVisitor visitor) {
        this.tree = tree;
        this.visitor = visitor;
    }

    /**
     * Walks the whole tree.
     *
     * @throws IllegalStateException naming the invariant that does not hold
     */
    void verify() {
        Node root = tree.root();
        if (root instanceof Inner && root.count < 2) {
            throw broken(4, "the root has " + root.count + " children");
        }
        verifyBelow(root, 0);
        if (entries != tree.size()) {
            throw new IllegalStateException("the tree counts " + tree.size() + " boundaries and has " + entries);
        }
    }

    private void verifyBelow(Node node, int depth) {
        if (node.count > tree.nodeMax() || node.count < (depth > 0 ? Math.max(1, tree.nodeMin()) : 1)) {
            throw broken(4, "a node at depth " + depth + " has " + node.count + " elements");
        }
        for (int i = 1; i < node.count; i++) {
            if (node.separator(i - 1) != node.firstKeyOf(i)) {
                throw broken(
                        3,
                        "separator " + Cid.toHex(node.separator(i - 1)) + " stands before "
                                + Cid.toHex(node.firstKeyOf(i)));
            }
        }
        for (int i = 0; i < node.count; i++) {
            switch (node) {
                case Inner inner -> verifyBelow(inner.child(i), depth + 1);
                case Twig twig -> verifyLeaf(twig.leaf(i), depth, twig.count == 1);
            }
        }
    }

    private void verifyLeaf(Leaf leaf, int depth, boolean alone) {
        int entriesOfLeaf = leaf.count();
        if (entriesOfLeaf > tree.leafMax() || entriesOfLeaf < (alone ? 1 : Math.max(1, tree.leafMin()))) {
            throw broken(4, "a leaf at depth " + depth + " has " + entriesOfLeaf + " entries");
        }
        if (leafDepth >= 0 && leafDepth != depth) {
            throw broken(2, "leaves at depths " + leafDepth + " and " + depth);
        }
        leafDepth = depth;
        for (int i = 0; i < entriesOfLeaf; i++) {
            long key = leaf.key(i);
            boolean ascends = entries == 0 ? key == 0 : Long.compareUnsigned(previousKey, key) < 0;
            if (!ascends) {
                throw broken(1, "key " + Cid.toHex(key) + " after " + Cid.toHex(previousKey));
            }
            visitor.visit(key, leaf.ref(i));
            previousKey = key;
            entries++;
        }
    }

    private static IllegalStateException broken(int invariant, String what) {
        return new IllegalStateException("invariant " + invariant + " of the boundary tree is broken: " + what);
    }
}
