package dev.granary.overlay.name;

import dev.granary.overlay.Cid;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The branches and leaves of a {@link NameTrie} in columns, each with a free list: 10 bytes a branch, 12 a leaf. Not
 * thread-safe.
 */
final class NameNodes {

    private static final int FIRST_CAPACITY = 8;
    private static final int ARRAY_HEADER_BYTES = 16;
    private static final int BRANCH_BYTES = 10;
    private static final int LEAF_BYTES = 12;
    private static final int END = -1;

    private char[] bits = new char[0];
    private int[] lefts = new int[0];
    private int[] rights = new int[0];
    private int branchCount;

    /** Head of the list of free branches, chained through {@link #lefts}. */
    private int firstFreeBranch = END;

    private int[] keys = new int[0];
    private long[] cids = new long[0];
    private int leafCount;

    /** Head of the list of free leaves, chained through {@link #keys}; the CID of a free leaf is none. */
    private int firstFreeLeaf = END;

    int newBranch(int bit, int left, int right) {
        int branch = firstFreeBranch;
        if (branch == END) {
            branch = branchCount++;
            if (branch == bits.length) {
                int capacity = grown(branch);
                bits = Arrays.copyOf(bits, capacity);
                lefts = Arrays.copyOf(lefts, capacity);
                rights = Arrays.copyOf(rights, capacity);
            }
        } else {
            firstFreeBranch = lefts[branch];
        }
        bits[branch] = (char) bit;
        lefts[branch] = left;
        rights[branch] = right;
        return branch;
    }

    void freeBranch(int branch) {
        lefts[branch] = firstFreeBranch;
        firstFreeBranch = branch;
    }

    int newLeaf(int key, long cid) {
        int leaf = firstFreeLeaf;
        if (leaf == END) {
            leaf = leafCount++;
            if (leaf == keys.length) {
                int capacity = grown(leaf);
                keys = Arrays.copyOf(keys, capacity);
                cids = Arrays.copyOf(cids, capacity);
            }
        } else {
            firstFreeLeaf = keys[leaf];
        }
        keys[leaf] = key;
        cids[leaf] = cid;
        return leaf;
    }

    void freeLeaf(int leaf) {
        keys[leaf] = firstFreeLeaf;
        cids[leaf] = Cid.NONE;
        firstFreeLeaf = leaf;
    }

    /** The bit that a branch looks at. */
    int bitOf(int branch) {
        return bits[branch];
    }

    /** What a branch links to for a bit of 0 or 1. */
    int child(int branch, int side) {
        return side == 0 ? lefts[branch] : rights[branch];
    }

    void setChild(int branch, int side, int link) {
        if (side == 0) {
            lefts[branch] = link;
        } else {
            rights[branch] = link;
        }
    }

    /** The place of a leaf's key. */
    int keyOf(int leaf) {
        return keys[leaf];
    }

    void setKey(int leaf, int key) {
        keys[leaf] = key;
    }

    long cidOf(int leaf) {
        return cids[leaf];
    }

    void setCid(int leaf, long cid) {
        cids[leaf] = cid;
    }

    /** Calls the consumer with each leaf in use; there are {@code count} of them. */
    void forEachLeaf(int count, IntConsumer consumer) {
        int seen = 0;
        for (int leaf = 0; seen < count; leaf++) {
            if (cids[leaf] != Cid.NONE) {
                consumer.accept(leaf);
                seen++;
            }
        }
    }

    void clear() {
        bits = new char[0];
        lefts = new int[0];
        rights = new int[0];
        keys = new int[0];
        cids = new long[0];
        branchCount = 0;
        leafCount = 0;
        firstFreeBranch = END;
        firstFreeLeaf = END;
    }

    long footprintBytes() {
        return 5L * ARRAY_HEADER_BYTES + (long) BRANCH_BYTES * bits.length + (long) LEAF_BYTES * keys.length;
    }

    /** Returns a capacity that is larger by an eighth and a constant. */
    private static int grown(int capacity) {
        return capacity + FIRST_CAPACITY + capacity / 8;
    }
}
