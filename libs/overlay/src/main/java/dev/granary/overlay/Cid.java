package dev.granary.overlay;

/**
 * Chunk identifiers. A CID is a {@code long} that is compared unsigned: the upper bits hold the NID of the creating
 * node, the lower ones the LID that this node counted up.
 *
 * <pre>
 *   63            48 47                                             0
 *  +----------------+------------------------------------------------+
 *  |      NID       |                      LID                       |
 *  +----------------+------------------------------------------------+
 * </pre>
 *
 * LIDs are given from 1; LID 0 is never given, so that CID 0 and the first CID of each NID mean "no chunk". Source:
 * "CID ranges" paper, section 2.1. All methods are pure.
 */
public final class Cid {

    /** "No chunk". */
    public static final long NONE = 0;

    /** The number of bits of a LID. */
    public static final int LID_BITS = 48;

    /** The smallest LID that is given. */
    public static final long MIN_LID = 1;

    /** The largest LID. */
    public static final long MAX_LID = (1L << LID_BITS) - 1;

    private static final int HEX_DIGITS = 16;

    private Cid() {}

    /** The NID of the node that created the chunk, 0..65535. */
    public static int nid(long cid) {
        return (int) (cid >>> LID_BITS);
    }

    /** The number that the creating node gave to the chunk, 0..{@link #MAX_LID}. */
    public static long lid(long cid) {
        return cid & MAX_LID;
    }

    /**
     * The CID of a NID and a LID.
     *
     * @param nid 0..65535
     * @param lid 0..{@link #MAX_LID}
     * @throws IllegalArgumentException when one of them is out of its range
     */
    public static long of(int nid, long lid) {
        if (nid < 0 || nid > Nid.MAX) {
            throw new IllegalArgumentException("NID " + nid + " is not in 0.." + Nid.MAX);
        }
        if (lid < 0 || lid > MAX_LID) {
            throw new IllegalArgumentException("LID " + lid + " is not in 0.." + MAX_LID);
        }
        return ((long) nid << LID_BITS) | lid;
    }

    /** The first CID that the node can give. */
    public static long firstOf(int nid) {
        return of(nid, MIN_LID);
    }

    /** The last CID that the node can give. */
    public static long lastOf(int nid) {
        return of(nid, MAX_LID);
    }

    /** Compares two CIDs as unsigned numbers: negative, zero or positive as the first is less, equal or greater. */
    public static int compare(long left, long right) {
        return Long.compareUnsigned(left, right);
    }

    /** The CID as people see it: {@code 0x} and 16 lower-case hexadecimal digits. */
    public static String toHex(long cid) {
        String digits = Long.toHexString(cid);
        return "0x" + "0".repeat(HEX_DIGITS - digits.length()) + digits;
    }

    /**
     * Reads a CID as {@link #toHex} writes it; upper-case digits and missing leading zeros are accepted.
     *
     * @throws IllegalArgumentException saying what is wrong with the text
     */
    public static long parse(String text) {
        return Hex.parse("CID", text, HEX_DIGITS);
    }
}
