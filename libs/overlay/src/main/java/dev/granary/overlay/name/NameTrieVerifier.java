package dev.granary.overlay.name;

import dev.granary.overlay.Cid;

/** Checks the invariants of a {@link NameTrie}. */
final class NameTrieVerifier {

    private final NameNodes nodes;
    private final NameArena arena;
    private final int root;
    private final int size;
    private int leaves;
    private int branches;
    private long keyBytes;

    NameTrieVerifier(NameNodes nodes, NameArena arena, int root, int size) {
        this.nodes = nodes;
        this.arena = arena;
        this.root = root;
        this.size = size;
    }

    void verify() {
        if (root != NameTrie.NO_LINK) {
            verifyBelow(root, -1);
        }
        // If a node were linked twice, the walk would count more than there are names.
        if (leaves != size || branches != Math.max(0, size - 1)) {
            throw broken(1, size + " names, " + leaves + " leaves, " + branches + " branches");
        }
        if (keyBytes != arena.usedBytes()) {
            throw broken(4, arena.usedBytes() + " bytes counted, " + keyBytes + " used");
        }
    }

    /** Returns one of the names below. The depth is bounded by the bits of a name. */
    private byte[] verifyBelow(int link, int bitAbove) {
        if (link < 0) {
            leaves++;
            byte[] key = arena.key(nodes.keyOf(~link));
            keyBytes += NameArena.sizeOf(key.length);
            if (nodes.cidOf(~link) == Cid.NONE) {
                throw broken(1, "leaf " + ~link + " is free");
            }
            return key;
        }
        branches++;
        if (branches > size) {
            throw broken(1, "more branches than names");
        }
        int bit = nodes.bitOf(link);
        if (bit <= bitAbove) {
            throw broken(2, "branch at bit " + bit + " below bit " + bitAbove);
        }
        byte[] left = verifyBelow(nodes.child(link, 0), bit);
        byte[] right = verifyBelow(nodes.child(link, 1), bit);
        for (int i = 0; i < bit; i++) {
            if (NameTrie.bitOf(left, i) != NameTrie.bitOf(right, i)) {
                throw broken(3, "names differ at bit " + i + " below a branch at bit " + bit);
            }
        }
        if (NameTrie.bitOf(left, bit) != 0 || NameTrie.bitOf(right, bit) != 1) {
            throw broken(3, "names on the wrong side of bit " + bit);
        }
        return left;
    }

    private static IllegalStateException broken(int invariant, String what) {
        return new IllegalStateException("invariant " + invariant + " of the trie of names is broken: " + what);
    }
}
