package dev.granary.storage.recover;

import java.util.Arrays;

/** A list of CIDs of one creator. Used by one thread at a time. */
final class CidList {

    private long[] cids = new long[1024];
    private int count;
    private boolean sorted;

    void addAll(long[] more, int moreCount) {
        if (count + moreCount > cids.length) {
            cids = Arrays.copyOf(cids, Math.max(2 * cids.length, count + moreCount));
        }
        System.arraycopy(more, 0, cids, count, moreCount);
        count += moreCount;
        sorted = false;
    }

    void clear() {
        count = 0;
    }

    /** Sorts the list now, so that the next search need not do it. */
    void sort() {
        if (!sorted) {
            Arrays.sort(cids, 0, count);
            sorted = true;
        }
    }

    boolean contains(long cid) {
        sort();
        return Arrays.binarySearch(cids, 0, count, cid) >= 0;
    }
}
