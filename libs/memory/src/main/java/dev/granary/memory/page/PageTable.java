package dev.granary.memory.page;

import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The translation of the LIDs of one NID to directory entries of pages (DXMem section V-B; ADR 0011, 0090): leaves of
 * 64 directory entries, above them as many levels of tables of 4,096 words, 12 bits of the LID each, as the largest LID
 * needs: none up to 32,768 LIDs, one up to 134 million. Of another NID the tables of the first level have 64 words, for
 * 2 million LIDs, because there are many such NIDs with few chunks each (ADR 0361). Nodes lie in the VMB, are made on
 * demand and never removed.
 *
 * <pre>
 *  root     63 ........ 47  46 .. 44  43  42 ..................... 0
 *          +---------------+---------+---+--------------------------+
 *          | 0             | levels  | 0 | address of the top node  |     0: no node yet
 *          +---------------+---------+---+--------------------------+
 *  words of tables: the address of a node, or 0
 * </pre>
 *
 * <p>Thread-safe. Readers take no lock: a node is filled before its address is written.
 */
public final class PageTable {

    /** Pages of a leaf. */
    public static final int LEAF_PAGES = 64;

    public static final int LEAF_BYTES = 2 * LEAF_PAGES * Page.BYTES;
    public static final int LEVEL_BITS = 12;
    public static final int TABLE_BYTES = 8 << LEVEL_BITS;

    /** Bits of the LID for which the first level above the leaves stands in the table of another NID. */
    private static final int FIRST_BITS = 6;

    /** The most levels above the leaves, in the own table and in that of another NID. */
    private static final int MOST_LEVELS = 3;

    private static final int MOST_FOREIGN_LEVELS = 4;

    /** Of both kinds of nodes: an entry never lies across two cache lines. */
    public static final int ALIGNMENT = 32;

    private static final int LEAF_SHIFT = 6;
    private static final int LEVELS_SHIFT = 44;
    private static final int LEVELS_MASK = 7;

    private final Vmb vmb;
    private final long root;
    private final NodeBlocks blocks;
    private final Object growing = new Object();
    private final boolean foreign;
    private final AtomicInteger nodes = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * A table.
     *
     * @param blocks gives the memory for nodes
     * @param root address of the root word
     * @param foreign whether it is that of another NID
     */
    PageTable(Vmb vmb, NodeBlocks blocks, long root, boolean foreign) {
        this.foreign = foreign;
        this.vmb = vmb;
        this.blocks = blocks;
        this.root = root;
    }

    /** The directory entry of a LID's page, or 0 if there is no leaf for it yet. */
    public long find(long lid) {
        long word = vmb.getAcquire(root);
        long leaf = lid >>> (Page.SLOT_BITS + LEAF_SHIFT);
        int levels = levels(word);
        if (word == 0 || leaf >>> bits(foreign, levels) != 0) {
            return 0;
        }
        long node = EntryLayout.address(word);
        for (int level = levels; level > 0 && node != 0; level--) {
            node = vmb.getAcquire(slot(node, leaf, level));
        }
        return node == 0 ? 0 : entry(node, lid);
    }

    /**
     * The directory entries of the pages of many own CIDs, in a loop that waits for many of them at once.
     *
     * @return false if this table is not of one level, or has no leaf for some of them:
     *     {@link #find} tells of each then
     */
    boolean findAll(long[] cids, int first, int count, int nid, long[] pages) {
        long word = vmb.getAcquire(root);
        if (levels(word) != 1 || foreign) {
            return false;
        }
        long node = EntryLayout.address(word);
        long beyond = 0;
        boolean found = true;
        for (int i = 0; i < count; i++) {
            // A foreign CID has bits left where the NID was.
            long lid = cids[first + i] ^ (long) nid << 48;
            long index = lid >>> (Page.SLOT_BITS + LEAF_SHIFT);
            beyond |= index;
            long leaf = vmb.getAcquire(slot(node, index, 1));
            found &= leaf != 0;
            pages[i] = entry(leaf, lid);
        }
        return found && beyond >>> LEVEL_BITS == 0;
    }

    /**
     * The directory entry of a LID's page; missing nodes are made.
     *
     * @param arena gives the memory; the caller holds its lock
     * @param exhaustive whether to search it for long
     * @return 0 if there is no room for a node
     */
    long findOrMake(long lid, BlockArena arena, boolean exhaustive) {
        long found = find(lid);
        if (found != 0) {
            return found;
        }
        synchronized (growing) {
            if (!raise(lid, arena, exhaustive)) {
                return 0;
            }
            long leaf = lid >>> (Page.SLOT_BITS + LEAF_SHIFT);
            long word = vmb.getAcquire(root);
            long node = EntryLayout.address(word);
            for (int level = levels(word); level > 0; level--) {
                long parent = slot(node, leaf, level);
                node = vmb.getAcquire(parent);
                if (node == 0) {
                    node = level == 1 ? makeLeaf(leaf, arena, exhaustive) : makeTable(level - 1, arena, exhaustive);
                    if (node == 0) {
                        return 0;
                    }
                    vmb.setRelease(parent, node);
                }
            }
            return entry(node, lid);
        }
    }

    /** Calls a visitor with the directory entry of each page of each leaf, in the order of LIDs. */
    public void forEachPage(LongConsumer visitor) {
        long word = vmb.getAcquire(root);
        if (word != 0) {
            walk(EntryLayout.address(word), levels(word), visitor, null);
        }
    }

    /** The directory entry of the first page of this number or a higher one that has a leaf, or 0. */
    public long nextPage(long number) {
        long word = vmb.getAcquire(root);
        return word == 0 ? 0 : nextPage(EntryLayout.address(word), levels(word), number);
    }

    /** The number of the last page up to a number that has a leaf, or -1. */
    public long lastPage(long number) {
        long word = vmb.getAcquire(root);
        return word == 0 || number < 0 ? -1 : lastPage(EntryLayout.address(word), levels(word), number);
    }

    private long lastPage(long node, int level, long number) {
        if (level == 0) {
            return Math.min(number, LEAF_PAGES - 1);
        }
        int shift = LEAF_SHIFT + bits(foreign, level - 1);
        long last = (1L << shift) - 1;
        int words = words(foreign, level);
        long to = number >>> shift >= words ? last : number & last;
        for (long i = Math.min(number >>> shift, words - 1L); i >= 0; i--) {
            long below = vmb.getAcquire(node + (i << 3));
            long found = below == 0 ? -1 : lastPage(below, level - 1, to);
            if (found >= 0) {
                return (i << shift) + found;
            }
            to = last;
        }
        return -1;
    }

    private long nextPage(long node, int level, long number) {
        if (level == 0) {
            return number < LEAF_PAGES ? node + number * Page.BYTES : 0;
        }
        int shift = LEAF_SHIFT + bits(foreign, level - 1);
        long from = number & ((1L << shift) - 1);
        int words = words(foreign, level);
        for (long i = number >>> shift; i < words; i++) {
            long below = vmb.getAcquire(node + (i << 3));
            long found = below == 0 ? 0 : nextPage(below, level - 1, from);
            if (found != 0) {
                return found;
            }
            from = 0;
        }
        return 0;
    }

    /** Calls a visitor with the address of each node: tables and leaves. */
    public void forEachNode(NodeVisitor visitor) {
        long word = vmb.getAcquire(root);
        if (word != 0) {
            walk(EntryLayout.address(word), levels(word), null, visitor);
        }
    }

    /** Sees the nodes of a table. */
    public interface NodeVisitor {
        void visit(long address, int sizeBytes);
    }

    /** Counts the nodes that are there already, after the VMB was loaded. */
    void restore() {
        forEachNode((node, sizeBytes) -> count(sizeBytes));
    }

    /** What all nodes take. */
    long bytes() {
        return bytes.get();
    }

    /** How many nodes there are. */
    int nodes() {
        return nodes.get();
    }

    private void count(int sizeBytes) {
        nodes.incrementAndGet();
        bytes.addAndGet(sizeBytes);
    }

    private void walk(long node, int level, @Nullable LongConsumer pages, @Nullable NodeVisitor nodes) {
        if (nodes != null) {
            nodes.visit(node, nodeBytes(foreign, level));
        }
        if (level == 0) {
            for (int i = 0; pages != null && i < LEAF_PAGES; i++) {
                pages.accept(node + (long) i * Page.BYTES);
            }
            return;
        }
        for (long i = 0; i < words(foreign, level); i++) {
            long below = vmb.getAcquire(node + (i << 3));
            if (below != 0) {
                walk(below, level - 1, pages, nodes);
            }
        }
    }

    /** Adds levels at the top until the tree reaches a LID. */
    private boolean raise(long lid, BlockArena arena, boolean exhaustive) {
        long leaf = lid >>> (Page.SLOT_BITS + LEAF_SHIFT);
        long word = vmb.getAcquire(root);
        if (word == 0) {
            // Nothing to keep: begin with as many levels as this LID needs.
            int levels = 0;
            while (leaf >>> bits(foreign, levels) != 0) {
                levels++;
            }
            long node = levels == 0 ? makeLeaf(0, arena, exhaustive) : makeTable(levels, arena, exhaustive);
            vmb.setRelease(root, node == 0 ? 0 : root(node, levels));
            return node != 0;
        }
        while (leaf >>> bits(foreign, levels(word)) != 0) {
            long table = makeTable(levels(word) + 1, arena, exhaustive);
            if (table == 0) {
                return false;
            }
            vmb.setRelease(table, EntryLayout.address(word));
            word = root(table, levels(word) + 1);
            vmb.setRelease(root, word);
        }
        return true;
    }

    private long makeTable(int level, BlockArena arena, boolean exhaustive) {
        int sizeBytes = nodeBytes(foreign, level);
        long table = blocks.allocate(sizeBytes, ALIGNMENT, arena, exhaustive);
        if (table != 0) {
            vmb.zero(table, sizeBytes);
            count(sizeBytes);
        }
        return table;
    }

    private long makeLeaf(long leaf, BlockArena arena, boolean exhaustive) {
        long node = blocks.allocate(LEAF_BYTES, ALIGNMENT, arena, exhaustive);
        if (node != 0) {
            vmb.zero(node, LEAF_BYTES);
            for (long i = 0; i < LEAF_PAGES; i++) {
                vmb.setRelease(node + i * Page.BYTES + Page.NUMBER, leaf * LEAF_PAGES + i);
            }
            count(LEAF_BYTES);
        }
        return node;
    }

    /** Returns the root word of a table with a top node and a number of levels above the leaves. */
    public static long root(long node, int levels) {
        return node | (long) levels << LEVELS_SHIFT;
    }

    private static int levels(long root) {
        return (int) (root >>> LEVELS_SHIFT) & LEVELS_MASK;
    }

    /** Returns the most levels above the leaves. */
    public static int mostLevels(boolean foreign) {
        return foreign ? MOST_FOREIGN_LEVELS : MOST_LEVELS;
    }

    /** Returns how many bits of the number of a leaf so many levels stand for. */
    private static int bits(boolean foreign, int levels) {
        return LEVEL_BITS * levels - (foreign && levels > 0 ? LEVEL_BITS - FIRST_BITS : 0);
    }

    /** Returns how many words a table of a level has, counted from 1 on above the leaves. */
    public static int words(boolean foreign, int level) {
        return 1 << (foreign && level == 1 ? FIRST_BITS : LEVEL_BITS);
    }

    /** Returns what a node takes; leaves have the level 0. */
    public static int nodeBytes(boolean foreign, int level) {
        return level == 0 ? LEAF_BYTES : words(foreign, level) << 3;
    }

    /** Returns the address of the word of a table of a level that leads to a leaf. */
    private long slot(long table, long leaf, int level) {
        return table + ((leaf >>> bits(foreign, level - 1) & (words(foreign, level) - 1)) << 3);
    }

    private static long entry(long leaf, long lid) {
        return leaf + (lid >>> Page.SLOT_BITS & (LEAF_PAGES - 1)) * Page.BYTES;
    }
}
