package dev.granary.memory;

/**
 * Where one stripe's new chunks get their LIDs: first free ones, so that tables stay dense, then fresh ones. Under the
 * stripe's lock.
 *
 * <p>Fresh LIDs come in blocks that begin with one LID and double while they are used up: few creates give consecutive
 * LIDs, many threads that create do not meet at one counter or write to the same line of a table.
 *
 * <p>Invariant: the entry of a LID in the cache is FREE_CACHED, or was never used.
 */
final class LidSource {

    /** Instead of a LID: none may be given. */
    static final long NONE = 0;

    private static final int MAX_BLOCK = 512;

    private final Vmb vmb;
    private final CidTable table;
    private final FreshLids fresh;
    private final LidCache cache = new LidCache();
    private long nextFresh;
    private long endFresh;
    private int block = 1;

    LidSource(Vmb vmb, CidTable table, FreshLids fresh) {
        this.vmb = vmb;
        this.table = table;
        this.fresh = fresh;
    }

    LidCache cache() {
        return cache;
    }

    /** Takes a LID, or {@link #NONE}. */
    long take() {
        if (cache.size() == 0 && nextFresh == endFresh) {
            boolean more = table.harvest(cache);
            while (cache.size() == 0 && !takeFreshBlock() && more) {
                more = table.harvest(cache);
            }
        }
        if (cache.size() > 0) {
            return cache.pop();
        }
        return nextFresh < endFresh ? nextFresh++ : NONE;
    }

    /** Gives the LID back that was taken last, before anything else is done: then there is room for it. */
    void giveBackLast(long lid) {
        cache.push(lid);
    }

    /** Gives a LID back that no chunk got, though its entry exists. */
    void giveBack(long lid, long entry) {
        if (cache.hasRoom()) {
            cache.push(lid);
        } else {
            vmb.setRelease(entry, EntryLayout.FREE_LISTED);
            table.noteFree(lid);
        }
    }

    private boolean takeFreshBlock() {
        while (true) {
            long first = fresh.next();
            long count = Math.min(block, fresh.endExclusive() - first);
            if (count <= 0) {
                return false;
            }
            if (fresh.take(first, count)) {
                nextFresh = first;
                endFresh = first + count;
                block = Math.min(2 * block, MAX_BLOCK);
                return true;
            }
        }
    }

    /** The fresh LIDs that are held here: first of them and end. */
    long nextFresh() {
        return nextFresh;
    }

    long endFresh() {
        return endFresh;
    }
}
