package dev.granary.overlay.tree;

import dev.granary.overlay.Cid;
import java.util.Arrays;

/**
 * A lowest inner node: leaves, without an object for each. The words that a search needs before it can look at a leaf's
 * entries lie here, close to the separators. They take 150 kilobytes for a million ranges and stay in a core's cache,
 * so a search waits only for the entries of a leaf. Source: ADR 0143.
 *
 * <pre>
 *  heads, three words a leaf
 *  +----------+---------------+----------------+
 *  | base     | numbers       | shape          |  see {@link Leaf}
 *  +----------+---------------+----------------+
 * </pre>
 */
final class Twig extends Node {

    private static final int HEAD_WORDS = 3;
    private static final int REFERENCE_BYTES = 4;
    private static final byte[] NO_ENTRIES = {};

    private long[] heads;

    /** The entries of each leaf. */
    private byte[][] entries;

    private Twig(int capacity) {
        super(capacity);
        heads = new long[HEAD_WORDS * capacity];
        entries = new byte[capacity][];
        Arrays.fill(entries, NO_ENTRIES);
    }

    /** A twig with one leaf. */
    static Twig of(Leaf leaf) {
        Twig twig = new Twig(1 + SPARE_ELEMENTS);
        twig.insertLeaf(0, leaf);
        return twig;
    }

    /** Returns a leaf to read. A caller that changes it must put it back. */
    Leaf leaf(int index) {
        int at = HEAD_WORDS * index;
        return new Leaf(entries[index], heads[at], heads[at + 1], heads[at + 2]);
    }

    /** The number that holds at a key. */
    int refAt(long key) {
        int index = indexOf(key);
        int at = HEAD_WORDS * index;
        return Leaf.refAt(entries[index], heads[at], heads[at + 1], heads[at + 2], key);
    }

    /** Adds a boundary; there must be none at this key. A leaf that gets too many is split. */
    void insert(long key, int ref, int leafMax) {
        int index = indexOf(key);
        Leaf leaf = leaf(index);
        leaf.insert(leaf.floorIndex(key) + 1, key, ref);
        int size = leaf.count();
        if (size > leafMax) {
            // In the middle, except leaves that grow at their end: there the next entries will follow.
            boolean appended = leaf.key(size - 1) == key;
            insertLeaf(index + 1, leaf.splitOff(appended ? size * 3 / 4 : size / 2));
        }
        put(index, leaf);
    }

    /**
     * Removes the boundary at a key, which must exist, and returns its number. Leaves that get too small are joined.
     */
    int remove(long key, int leafMin, int leafMax) {
        int index = indexOf(key);
        Leaf leaf = leaf(index);
        int at = leaf.floorIndex(key);
        if (leaf.key(at) != key) {
            throw new IllegalStateException("no boundary at " + Cid.toHex(key));
        }
        int ref = leaf.ref(at);
        leaf.remove(at);
        put(index, leaf);
        if (leaf.count() < leafMin && count > 1) {
            rebalance(index, leafMax);
        } else if (at == 0) {
            refreshSeparator(index);
        }
        return ref;
    }

    /** Gives the boundary at a key, which must exist, another number. */
    void setRef(long key, int ref) {
        int index = indexOf(key);
        Leaf leaf = leaf(index);
        leaf.setRef(leaf.floorIndex(key), ref);
        put(index, leaf);
    }

    /** Joins a leaf that has become too small with a neighbour, or shares the neighbour's entries with it. */
    private void rebalance(int index, int leafMax) {
        int leftIndex = Math.max(index - 1, 0);
        Leaf left = leaf(leftIndex);
        Leaf right = leaf(leftIndex + 1);
        boolean share = left.count() + right.count() > leafMax * 3 / 4;
        left.absorb(right);
        removeLeaf(leftIndex + 1);
        if (share) {
            insertLeaf(leftIndex + 1, left.splitOff(left.count() / 2));
        }
        put(leftIndex, left);
        refreshSeparator(leftIndex);
    }

    private void put(int index, Leaf leaf) {
        int at = HEAD_WORDS * index;
        entries[index] = leaf.entries();
        heads[at] = leaf.base();
        heads[at + 1] = leaf.numbers();
        heads[at + 2] = leaf.shape();
    }

    private void insertLeaf(int index, Leaf leaf) {
        if (isFull()) {
            resize(count + 1 + SPARE_ELEMENTS);
        }
        move(index, index + 1);
        put(index, leaf);
        inserted(index, leaf.key(0));
    }

    private void removeLeaf(int index) {
        move(index + 1, index);
        entries[count - 1] = NO_ENTRIES;
        removed(index);
    }

    /** Moves the entries and heads of all leaves from an index on. */
    private void move(int from, int to) {
        System.arraycopy(entries, from, entries, to, count - from);
        System.arraycopy(heads, HEAD_WORDS * from, heads, HEAD_WORDS * to, HEAD_WORDS * (count - from));
    }

    @Override
    long firstKeyOf(int index) {
        return leaf(index).key(0);
    }

    @Override
    void absorb(Node right) {
        Twig that = (Twig) right;
        resize(count + that.count + SPARE_ELEMENTS);
        System.arraycopy(that.entries, 0, entries, count, that.count);
        System.arraycopy(that.heads, 0, heads, HEAD_WORDS * count, HEAD_WORDS * that.count);
        appended(that);
    }

    @Override
    Node splitOff(int fromIndex) {
        int moving = count - fromIndex;
        Twig right = new Twig(moving + SPARE_ELEMENTS);
        System.arraycopy(entries, fromIndex, right.entries, 0, moving);
        System.arraycopy(heads, HEAD_WORDS * fromIndex, right.heads, 0, HEAD_WORDS * moving);
        heads = Arrays.copyOf(heads, HEAD_WORDS * (fromIndex + SPARE_ELEMENTS));
        entries = Arrays.copyOf(entries, fromIndex + SPARE_ELEMENTS);
        Arrays.fill(entries, fromIndex, entries.length, NO_ENTRIES);
        moved(fromIndex, right);
        return right;
    }

    @Override
    long footprintBytes() {
        long bytes = ownBytes()
                + 2 * ARRAY_HEADER_BYTES
                + (long) Long.BYTES * heads.length
                + (long) REFERENCE_BYTES * entries.length;
        for (int i = 0; i < count; i++) {
            bytes += ARRAY_HEADER_BYTES + entries[i].length;
        }
        return bytes;
    }

    private void resize(int capacity) {
        resizeSeparators(capacity);
        int old = entries.length;
        heads = Arrays.copyOf(heads, HEAD_WORDS * capacity);
        entries = Arrays.copyOf(entries, capacity);
        if (capacity > old) {
            Arrays.fill(entries, old, capacity, NO_ENTRIES);
        }
    }
}
