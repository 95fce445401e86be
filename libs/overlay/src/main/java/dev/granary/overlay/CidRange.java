package dev.granary.overlay;

/**
 * Consecutive CIDs of one creator with one placement; may be a single chunk. Both ends belong to the range.
 *
 * @param startCid the first CID, with a LID of at least 1
 * @param endCidInclusive the last CID, of the same creator and not less than the first
 * @param placement who holds the chunks
 */
public record CidRange(long startCid, long endCidInclusive, Placement placement) {

    /** Checks the ends. */
    public CidRange {
        requireRange(startCid, endCidInclusive);
    }

    /** Whether the CID lies in the range. */
    public boolean contains(long cid) {
        return Cid.compare(startCid, cid) <= 0 && Cid.compare(cid, endCidInclusive) <= 0;
    }

    /** The number of CIDs in the range, at least 1. */
    public long size() {
        return endCidInclusive - startCid + 1;
    }

    /**
     * Checks that two CIDs are the ends of a range.
     *
     * @throws IllegalArgumentException when they have different creators, are in the wrong order, or have a LID of 0
     */
    public static void requireRange(long startCid, long endCidInclusive) {
        if (Cid.nid(startCid) == Nid.NONE || Cid.nid(startCid) != Cid.nid(endCidInclusive)) {
            throw new IllegalArgumentException(describe(startCid, endCidInclusive) + " is not of one creator");
        }
        if (Cid.lid(startCid) < Cid.MIN_LID) {
            throw new IllegalArgumentException(
                    describe(startCid, endCidInclusive) + " starts below LID " + Cid.MIN_LID);
        }
        if (Cid.compare(startCid, endCidInclusive) > 0) {
            throw new IllegalArgumentException(describe(startCid, endCidInclusive) + " ends before it starts");
        }
    }

    private static String describe(long startCid, long endCidInclusive) {
        return "range " + Cid.toHex(startCid) + ".." + Cid.toHex(endCidInclusive);
    }

    @Override
    public String toString() {
        return Cid.toHex(startCid) + ".." + Cid.toHex(endCidInclusive) + " -> " + placement;
    }
}
