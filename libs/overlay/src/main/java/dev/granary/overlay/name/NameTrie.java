package dev.granary.overlay.name;

import dev.granary.overlay.Cid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Names for CIDs: a Patricia trie over the bits of binary keys, in the order of their unsigned bytes. Source: D. R.
 * Morrison, "PATRICIA", in the form with one branch node fewer than names; "CID ranges" paper, section 2.1; ADR 0027.
 *
 * <p>A branch looks at one bit, the first one in which the names below it differ; a search follows the bits of the key
 * and compares once, at the leaf. Each byte of a name counts as 9 bits: a 1, then the byte's own 8. Zeros follow the
 * end. So a name that is a prefix of another one differs from it, and comes first.
 *
 * <pre>
 *  branch   bit u16, two links i32: a branch's number, or the complement of a leaf's
 *  leaf     place i32 of the key, in units of {@value #KEY_ALIGNMENT} bytes; CID i64
 *  key      length 1 or 2 bytes, the bytes, rounded up to the unit
 * </pre>
 *
 * <p>Invariants, checked by {@link NameTrieVerifier}:
 *
 * <ol>
 *   <li>There is one branch fewer than leaves. Each of them is linked once, and free places are not linked.
 *   <li>The bit of a branch is greater than that of the one above it.
 *   <li>All names below a branch are equal before its bit; those to its left have a 0 there, those to its right a 1.
 *   <li>The bytes counted as used are those of the keys.
 * </ol>
 *
 * <p>Not thread-safe.
 */
public final class NameTrie {

    /** The largest number of bytes of a name. */
    public static final int MAX_NAME_BYTES = 1024;

    /** The largest number of names of one trie. */
    public static final int MAX_NAMES = 1 << 30;

    /** Keys begin at multiples of this many bytes, so that an int can address 16 GiB. */
    static final int KEY_ALIGNMENT = 4;

    static final int NO_LINK = Integer.MIN_VALUE;

    private final NameArena arena = new NameArena();
    private final NameNodes nodes = new NameNodes();
    private int root = NO_LINK;
    private int size;

    /** An empty trie. */
    public NameTrie() {}

    /** The number of names. */
    public int size() {
        return size;
    }

    /** The bytes of heap; computed from array sizes. */
    public long footprintBytes() {
        return arena.footprintBytes() + nodes.footprintBytes();
    }

    /**
     * Gives a name a CID when it has none yet.
     *
     * @param name 1 to {@value #MAX_NAME_BYTES} bytes; copied
     * @return the CID that the name already had, or empty when it has the new one now
     * @throws IllegalArgumentException when the name is empty or too long, or the CID is {@link Cid#NONE}
     * @throws IllegalStateException when the trie is full; nothing is changed
     */
    public OptionalLong putIfAbsent(byte[] name, long cid) {
        requireName(name);
        if (cid == Cid.NONE) {
            throw new IllegalArgumentException("a name cannot stand for no chunk");
        }
        if (root == NO_LINK) {
            root = ~newLeaf(name, cid);
            return OptionalLong.empty();
        }
        int nearest = nearestLeaf(name);
        int bit = arena.firstDifference(nodes.keyOf(nearest), name);
        if (bit < 0) {
            return OptionalLong.of(nodes.cidOf(nearest));
        }
        if (size == MAX_NAMES) {
            throw new IllegalStateException("there are " + size + " names already");
        }
        insertBranch(bit, name, newLeaf(name, cid));
        return OptionalLong.empty();
    }

    /** {@link #putIfAbsent(byte[], long)} for the UTF-8 bytes of a text. */
    public OptionalLong putIfAbsent(String name, long cid) {
        return putIfAbsent(name.getBytes(StandardCharsets.UTF_8), cid);
    }

    /**
     * Gives a name a CID, whether or not it already has one.
     *
     * @param name as for {@link #putIfAbsent(byte[], long)}
     * @return the CID that the name had before, or empty
     */
    public OptionalLong put(byte[] name, long cid) {
        OptionalLong previous = putIfAbsent(name, cid);
        if (previous.isPresent()) {
            nodes.setCid(nearestLeaf(name), cid);
        }
        return previous;
    }

    /** {@link #put(byte[], long)} for the UTF-8 bytes of a text. */
    public OptionalLong put(String name, long cid) {
        return put(name.getBytes(StandardCharsets.UTF_8), cid);
    }

    /** The CID of a name. */
    public OptionalLong get(byte[] name) {
        if (root == NO_LINK) {
            return OptionalLong.empty();
        }
        int leaf = nearestLeaf(name);
        return arena.equals(nodes.keyOf(leaf), name) ? OptionalLong.of(nodes.cidOf(leaf)) : OptionalLong.empty();
    }

    /** {@link #get(byte[])} for the UTF-8 bytes of a text. */
    public OptionalLong get(String name) {
        return get(name.getBytes(StandardCharsets.UTF_8));
    }

    /** Removes a name and returns the CID that it had. */
    public OptionalLong remove(byte[] name) {
        if (root == NO_LINK) {
            return OptionalLong.empty();
        }
        int grandparent = NO_LINK;
        int parent = NO_LINK;
        int link = root;
        while (link >= 0) {
            grandparent = parent;
            parent = link;
            link = nodes.child(link, bitOf(name, nodes.bitOf(link)));
        }
        int leaf = ~link;
        if (!arena.equals(nodes.keyOf(leaf), name)) {
            return OptionalLong.empty();
        }
        long cid = nodes.cidOf(leaf);
        if (parent == NO_LINK) {
            root = NO_LINK;
        } else {
            int sibling = nodes.child(parent, 1 - bitOf(name, nodes.bitOf(parent)));
            if (grandparent == NO_LINK) {
                root = sibling;
            } else {
                nodes.setChild(grandparent, bitOf(name, nodes.bitOf(grandparent)), sibling);
            }
            nodes.freeBranch(parent);
        }
        arena.free(nodes.keyOf(leaf));
        nodes.freeLeaf(leaf);
        size--;
        compactWhenWorthwhile();
        return OptionalLong.of(cid);
    }

    /** {@link #remove(byte[])} for the UTF-8 bytes of a text. */
    public OptionalLong remove(String name) {
        return remove(name.getBytes(StandardCharsets.UTF_8));
    }

    /** Visits names in ascending order of their bytes. Must not change the trie. */
    @FunctionalInterface
    public interface NameVisitor {

        /**
         * Visits one name.
         *
         * @param name the bytes, a copy
         * @param cid what it stands for
         * @return whether to go on
         */
        boolean visit(byte[] name, long cid);
    }

    /** Visits all names in ascending order of their unsigned bytes, until the visitor has seen enough. */
    public void forEach(NameVisitor visitor) {
        forEach(new byte[0], visitor);
    }

    /** Visits the names that begin with a prefix, in ascending order, until the visitor has seen enough. */
    public void forEach(byte[] prefix, NameVisitor visitor) {
        if (root == NO_LINK) {
            return;
        }
        int prefixBits = prefix.length * NameArena.BITS_PER_BYTE;
        int link = root;
        while (link >= 0 && nodes.bitOf(link) < prefixBits) {
            link = nodes.child(link, bitOf(prefix, nodes.bitOf(link)));
        }
        // All names below share their first bits, so one of them tells whether they begin with the prefix.
        if (startsWith(arena.key(nodes.keyOf(leftmostLeaf(link))), prefix)) {
            visitBelow(link, visitor);
        }
    }

    /** The first name after another one, in the order of {@link #forEach}; for pages. */
    public Optional<byte[]> higherName(byte[] name) {
        byte[][] found = new byte[1][];
        // The name with a zero byte behind it is the smallest one that is greater.
        forEachFrom(Arrays.copyOf(name, name.length + 1), (next, cid) -> {
            found[0] = next;
            return false;
        });
        return Optional.ofNullable(found[0]);
    }

    /** Visits the names that are not less than a bound, in ascending order, until the visitor has seen enough. */
    public void forEachFrom(byte[] bound, NameVisitor visitor) {
        if (root == NO_LINK) {
            return;
        }
        int nearest = nearestLeaf(bound);
        int difference = arena.firstDifference(nodes.keyOf(nearest), bound);
        int[] pending = new int[16];
        int depth = 0;
        int link = root;
        while (link >= 0 && (difference < 0 || nodes.bitOf(link) < difference)) {
            int side = bitOf(bound, nodes.bitOf(link));
            if (side == 0) {
                pending = depth == pending.length ? Arrays.copyOf(pending, 2 * depth) : pending;
                pending[depth++] = nodes.child(link, 1);
            }
            link = nodes.child(link, side);
        }
        // Everything below is the bound itself, or lies on one side of it.
        boolean goOn = true;
        if (difference < 0 || bitOf(bound, difference) == 0) {
            goOn = visitBelow(link, visitor);
        }
        while (goOn && depth > 0) {
            goOn = visitBelow(pending[--depth], visitor);
        }
    }

    private boolean visitBelow(int top, NameVisitor visitor) {
        int[] pending = new int[16];
        int depth = 0;
        int link = top;
        while (true) {
            while (link >= 0) {
                pending = depth == pending.length ? Arrays.copyOf(pending, 2 * depth) : pending;
                pending[depth++] = nodes.child(link, 1);
                link = nodes.child(link, 0);
            }
            if (!visitor.visit(arena.key(nodes.keyOf(~link)), nodes.cidOf(~link))) {
                return false;
            }
            if (depth == 0) {
                return true;
            }
            link = pending[--depth];
        }
    }

    private int nearestLeaf(byte[] name) {
        int link = root;
        while (link >= 0) {
            link = nodes.child(link, bitOf(name, nodes.bitOf(link)));
        }
        return ~link;
    }

    private int leftmostLeaf(int top) {
        int link = top;
        while (link >= 0) {
            link = nodes.child(link, 0);
        }
        return ~link;
    }

    private int newLeaf(byte[] name, long cid) {
        int leaf = nodes.newLeaf(arena.add(name), cid);
        size++;
        return leaf;
    }

    private void insertBranch(int bit, byte[] name, int leaf) {
        int parent = NO_LINK;
        int link = root;
        while (link >= 0 && nodes.bitOf(link) < bit) {
            parent = link;
            link = nodes.child(link, bitOf(name, nodes.bitOf(link)));
        }
        int side = bitOf(name, bit);
        int branch = nodes.newBranch(bit, side == 0 ? ~leaf : link, side == 0 ? link : ~leaf);
        if (parent == NO_LINK) {
            root = branch;
        } else {
            nodes.setChild(parent, bitOf(name, nodes.bitOf(parent)), branch);
        }
    }

    /** Rewrites all keys when a third of their bytes belongs to names that were removed. */
    private void compactWhenWorthwhile() {
        if (size == 0) {
            arena.clear();
            nodes.clear();
        } else if (arena.isWasteful()) {
            NameArena.Move move = arena.startCompaction();
            nodes.forEachLeaf(size, leaf -> nodes.setKey(leaf, move.keep(nodes.keyOf(leaf))));
            move.finish();
        }
    }

    private static boolean startsWith(byte[] name, byte[] prefix) {
        return name.length >= prefix.length && Arrays.equals(name, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** A bit of a name as the branches see it. */
    static int bitOf(byte[] name, int bit) {
        int index = bit / NameArena.BITS_PER_BYTE;
        if (index >= name.length) {
            return 0;
        }
        int within = bit % NameArena.BITS_PER_BYTE;
        return within == 0 ? 1 : (name[index] >> (Byte.SIZE - within)) & 1;
    }

    private static void requireName(byte[] name) {
        if (name.length == 0) {
            throw new IllegalArgumentException("a name has at least one byte");
        }
        if (name.length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "a name of " + name.length + " bytes; at most " + MAX_NAME_BYTES + " are allowed");
        }
    }

    /**
     * Checks every invariant.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    public void verify() {
        new NameTrieVerifier(nodes, arena, root, size).verify();
    }
}
