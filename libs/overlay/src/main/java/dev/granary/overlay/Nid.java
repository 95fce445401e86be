package dev.granary.overlay;

/**
 * Node identifiers: an {@code int} 1..65535 that is also the node's place on the ring; 0 means "none".
 *
 * <p>The two roles have disjoint NIDs, told apart by the lowest bit. The k-th node of a role gets the 16 bits of k
 * reversed, so that the first nodes spread evenly: 0x8000, 0x4000, 0xC000, 0x2000 … for storage peers, 0x0001, 0x8001,
 * 0x4001, 0xC001 … for super-peers. With consecutive k the largest arc is at most twice the smallest, and nothing moves
 * but one half of one arc when a node joins (SAFETY rule "LIDs and NIDs"; ADR 0020). All methods are pure.
 */
public final class Nid {

    /** "No node". */
    public static final int NONE = 0;

    /** The smallest NID of a node. */
    public static final int MIN = 1;

    /** The largest NID. */
    public static final int MAX = 0xFFFF;

    /** The number of places on the ring. */
    public static final int RING_SIZE = 1 << 16;

    /** One more than the largest k of a role. */
    public static final int NODES_PER_ROLE = 1 << 15;

    private static final int HEX_DIGITS = 4;

    private Nid() {}

    /** The lowest 16 bits of a number in reverse order, 0..65535. */
    public static int reverse16(int value) {
        return Integer.reverse(value) >>> 16;
    }

    /**
     * The NID of the k-th storage peer.
     *
     * @param k 1..32767
     * @throws IllegalArgumentException when k is out of its range
     */
    public static int storageNid(int k) {
        if (k < 1 || k >= NODES_PER_ROLE) {
            throw new IllegalArgumentException("storage peer number " + k + " is not in 1.." + (NODES_PER_ROLE - 1));
        }
        return reverse16(k);
    }

    /**
     * The NID of the k-th super-peer.
     *
     * @param k 0..32767
     * @throws IllegalArgumentException when k is out of its range
     */
    public static int superPeerNid(int k) {
        if (k < 0 || k >= NODES_PER_ROLE) {
            throw new IllegalArgumentException("super-peer number " + k + " is not in 0.." + (NODES_PER_ROLE - 1));
        }
        return reverse16(k) | 1;
    }

    /** Whether the number is the NID of a node. */
    public static boolean isValid(int nid) {
        return nid >= MIN && nid <= MAX;
    }

    /**
     * Returns the NID when it is one.
     *
     * @throws IllegalArgumentException when it is not in 1..65535
     */
    public static int requireValid(int nid) {
        if (!isValid(nid)) {
            throw new IllegalArgumentException("NID " + nid + " is not in " + MIN + ".." + MAX);
        }
        return nid;
    }

    /**
     * The role that the lowest bit shows.
     *
     * @throws IllegalArgumentException when the NID is not in 1..65535
     */
    public static NodeRole role(int nid) {
        return (requireValid(nid) & 1) == 0 ? NodeRole.STORAGE_PEER : NodeRole.SUPER_PEER;
    }

    /** The NID as people see it: {@code 0x} and four lower-case hexadecimal digits. */
    public static String toHex(int nid) {
        if (nid < NONE || nid > MAX) {
            throw new IllegalArgumentException("NID " + nid + " is not in " + NONE + ".." + MAX);
        }
        String digits = Integer.toHexString(nid);
        return "0x" + "0".repeat(HEX_DIGITS - digits.length()) + digits;
    }

    /**
     * Reads a NID as {@link #toHex} writes it; upper-case digits and missing leading zeros are accepted.
     *
     * @throws IllegalArgumentException saying what is wrong with the text; 0 is no NID of a node
     */
    public static int parse(String text) {
        int nid = (int) Hex.parse("NID", text, HEX_DIGITS);
        if (nid == NONE) {
            throw new IllegalArgumentException("NID '" + text + "' means no node; 0x0001 to 0xffff are allowed");
        }
        return nid;
    }
}
