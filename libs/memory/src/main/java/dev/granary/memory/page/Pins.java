package dev.granary.memory.page;

import dev.granary.memory.os.Vmb;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The chunks that are pinned. A page counts its own in the number word; a page without any need not look here.
 * Changed under the latch of the chunk's page. Thread-safe.
 */
public final class Pins {

    private final ConcurrentHashMap<Long, Boolean> cids = new ConcurrentHashMap<>();

    /** Whether any chunk of a page is pinned. */
    public static boolean anyIn(Vmb vmb, long page) {
        return Page.pins(vmb.getAcquire(page + Page.NUMBER)) != 0;
    }

    public boolean isPinned(Vmb vmb, long page, long cid) {
        return anyIn(vmb, page) && cids.containsKey(cid);
    }

    /** Returns false if it is pinned already. */
    public boolean pin(Vmb vmb, long page, long cid) {
        if (cids.putIfAbsent(cid, Boolean.TRUE) != null) {
            return false;
        }
        vmb.add(page + Page.NUMBER, Page.ONE_PIN);
        return true;
    }

    /** Returns false if it is not pinned. */
    public boolean unpin(Vmb vmb, long page, long cid) {
        if (cids.remove(cid) == null) {
            return false;
        }
        vmb.add(page + Page.NUMBER, -Page.ONE_PIN);
        return true;
    }

    /** How many chunks are pinned. */
    int count() {
        return cids.size();
    }
}
