package dev.granary.memory;

import static dev.granary.memory.EntryLayout.HAS_FREE;
import static dev.granary.memory.EntryLayout.address;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The translation of LIDs to entries: a tree of tables of 4,096 words, 12 bits of the LID each (DXMem section V-B). The
 * tree is as high as its largest LID needs, one to four levels: a small store has no empty upper tables (ADR 0011).
 * Tables lie in the VMB, are made on demand and never removed. Words are described in {@link EntryLayout}.
 *
 * <p>Thread-safe. Readers take no lock: a table is zeroed before its address is written.
 */
final class CidTable {

    /** 12 bits of the LID a level. */
    static final int LEVEL_BITS = 12;

    static final int TABLE_BYTES = 8 << LEVEL_BITS;

    /** A table begins at the next multiple of 8 in its block. */
    static final int TABLE_BLOCK_BYTES = TABLE_BYTES + 7;

    private static final int INDEX_MASK = (1 << LEVEL_BITS) - 1;

    /** How many tables of level 0 one harvest walks through at most: it runs inside a create. */
    private static final int HARVEST_TABLES = 16;

    private final Vmb vmb;
    private final long root;
    private final Object growing = new Object();
    private final Object harvesting = new Object();
    private final AtomicInteger tables = new AtomicInteger();

    /**
     * An empty table.
     *
     * @param root address of the root word in the VMB's header
     */
    CidTable(Vmb vmb, long root) {
        this.vmb = vmb;
        this.root = root;
    }

    /** The address of a LID's entry, or 0 if there is no table for it yet. */
    long find(long lid) {
        long word = vmb.getAcquire(root);
        int height = EntryLayout.height(word);
        if (lid >>> (LEVEL_BITS * height) != 0) {
            return 0;
        }
        long table = address(word);
        for (int shift = LEVEL_BITS * (height - 1); shift > 0; shift -= LEVEL_BITS) {
            table = address(vmb.getAcquire(slot(table, lid >>> shift)));
            if (table == 0) {
                return 0;
            }
        }
        return slot(table, lid);
    }

    /**
     * The address of a LID's entry; missing tables are made.
     *
     * @param arena gives the memory; the caller holds its lock
     * @param exhaustive whether to search it for long
     * @return 0 if there is no room for a table
     */
    long findOrMake(long lid, BlockArena arena, boolean exhaustive) {
        long entry = find(lid);
        if (entry != 0) {
            return entry;
        }
        synchronized (growing) {
            if (!raise(lid, arena, exhaustive)) {
                return 0;
            }
            long word = vmb.getAcquire(root);
            long table = address(word);
            for (int shift = LEVEL_BITS * (EntryLayout.height(word) - 1); shift > 0; shift -= LEVEL_BITS) {
                long parent = slot(table, lid >>> shift);
                table = address(vmb.getAcquire(parent));
                if (table == 0) {
                    table = make(arena, exhaustive);
                    if (table == 0) {
                        return 0;
                    }
                    vmb.setRelease(parent, table);
                }
            }
            return slot(table, lid);
        }
    }

    /** Notes that a LID's entry became {@link EntryLayout#FREE_LISTED}, so that a harvest will find it. */
    void noteFree(long lid) {
        // The entry must be seen as free by whoever clears a flag that is still read as set below.
        VarHandle.fullFence();
        while (true) {
            long word = vmb.getAcquire(root);
            noteFreeBelow(address(word), LEVEL_BITS * (EntryLayout.height(word) - 1), lid);
            // The root after the levels below: a harvest goes the other way. It may have been raised meanwhile.
            if ((word & HAS_FREE) != 0
                    ? vmb.getAcquire(root) == word
                    : vmb.compareAndSet(root, word, word | HAS_FREE)) {
                return;
            }
        }
    }

    /**
     * Moves LIDs of entries that are {@link EntryLayout#FREE_LISTED} into a cache until it is full, some tables have
     * been walked, or there are none left.
     *
     * @return whether there may be more
     */
    boolean harvest(LidCache cache) {
        if ((vmb.getAcquire(root) & HAS_FREE) == 0) {
            return false;
        }
        synchronized (harvesting) {
            vmb.andNot(root, HAS_FREE);
            long word = vmb.getAcquire(root);
            Harvest harvest = new Harvest(cache);
            boolean more = !harvest.walk(address(word), LEVEL_BITS * (EntryLayout.height(word) - 1), 0);
            if (more) {
                vmb.or(root, HAS_FREE);
            }
            return more;
        }
    }

    /** The root word. */
    long rootWord() {
        return vmb.getAcquire(root);
    }

    int tables() {
        return tables.get();
    }

    static long slot(long table, long lid) {
        return table + ((lid & INDEX_MASK) << 3);
    }

    /** Adds levels at the top until the tree reaches a LID. */
    private boolean raise(long lid, BlockArena arena, boolean exhaustive) {
        while (true) {
            long word = vmb.getAcquire(root);
            int height = EntryLayout.height(word);
            if (lid >>> (LEVEL_BITS * height) == 0) {
                return true;
            }
            long table = make(arena, exhaustive);
            if (table == 0) {
                return false;
            }
            // The flag is set without looking below: too often is harmless, too seldom would lose free LIDs.
            boolean first = height == 0;
            if (!first) {
                vmb.setRelease(table, address(word) | HAS_FREE);
            }
            while (!vmb.compareAndSet(root, word, EntryLayout.root(table, height + 1, !first))) {
                word = vmb.getAcquire(root);
            }
        }
    }

    private long make(BlockArena arena, boolean exhaustive) {
        long block = arena.allocate(TABLE_BLOCK_BYTES, Marker.TABLE, exhaustive);
        if (block == 0) {
            return 0;
        }
        long table = align(block);
        vmb.zero(table, TABLE_BYTES);
        tables.incrementAndGet();
        return table;
    }

    /** Where the table in a block begins. */
    static long align(long block) {
        return (block + 7) & -8L;
    }

    private void noteFreeBelow(long table, int shift, long lid) {
        if (shift == 0) {
            return;
        }
        long parent = slot(table, lid >>> shift);
        noteFreeBelow(address(vmb.getAcquire(parent)), shift - LEVEL_BITS, lid);
        if ((vmb.getAcquire(parent) & HAS_FREE) == 0) {
            vmb.or(parent, HAS_FREE);
        }
    }

    /** One walk over the tables whose flag is set. */
    private final class Harvest {

        private final LidCache cache;
        private int tablesLeft = HARVEST_TABLES;

        Harvest(LidCache cache) {
            this.cache = cache;
        }

        /**
         * Walks a table.
         *
         * @return whether nothing is left in it
         */
        boolean walk(long table, int shift, long firstLid) {
            if (shift == 0) {
                return collect(table, firstLid);
            }
            for (long i = 0; i <= INDEX_MASK; i++) {
                long parent = slot(table, i);
                long word = vmb.getAcquire(parent);
                if ((word & HAS_FREE) == 0) {
                    continue;
                }
                // Cleared before the walk: who frees an entry behind it sets it again.
                vmb.andNot(parent, HAS_FREE);
                if (!walk(address(word), shift - LEVEL_BITS, firstLid | i << shift)) {
                    vmb.or(parent, HAS_FREE);
                    return false;
                }
            }
            return true;
        }

        private boolean collect(long table, long firstLid) {
            if (tablesLeft-- == 0) {
                return false;
            }
            for (long i = 0; i <= INDEX_MASK; i++) {
                long entry = slot(table, i);
                if (vmb.getAcquire(entry) == EntryLayout.FREE_LISTED) {
                    if (!cache.hasRoom()) {
                        return false;
                    }
                    vmb.setRelease(entry, EntryLayout.FREE_CACHED);
                    cache.push(firstLid | i);
                }
            }
            return true;
        }
    }
}
