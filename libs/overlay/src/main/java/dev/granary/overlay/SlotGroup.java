package dev.granary.overlay;

/**
 * Slot groups: {@value #SLOTS} consecutive hash slots of keys, which have one owner (ADR 0280). To the overlay a slot
 * group is a creator of chunks that is no node: it has a NID, its entries are chunks with CIDs of that NID, and its
 * range has an owner, backups and an epoch in the arc of the NID.
 *
 * <p>The NIDs are those of the last storage peers, counted down, so that groups are spread over the ring as evenly as
 * peers. They are never given to a node. All methods are pure.
 */
public final class SlotGroup {

    /** The number of groups. */
    public static final int COUNT = 256;

    /** The number of slots in a group. */
    public static final int SLOTS = KeySlot.COUNT / COUNT;

    /** One more than the largest k of a storage peer, counted as {@link Nid} counts. */
    public static final int END_OF_PEERS = Nid.NODES_PER_ROLE - COUNT;

    /** The LIDs of a group when it is opened: 1 up to this number. */
    public static final int FIRST_LIDS = 1 << 16;

    /** The most LIDs of a group. */
    public static final int MAX_LIDS = 1 << 24;

    private SlotGroup() {}

    /** The group of a slot. */
    public static int ofSlot(int slot) {
        if (slot < 0 || slot >= KeySlot.COUNT) {
            throw new IllegalArgumentException("slot " + slot + " is not in 0.." + (KeySlot.COUNT - 1));
        }
        return slot / SLOTS;
    }

    /** The group of a key. */
    public static int ofKey(byte[] key) {
        return KeySlot.of(key) / SLOTS;
    }

    /** The first slot of a group; the next {@link #SLOTS} belong to it. */
    public static int firstSlot(int group) {
        return require(group) * SLOTS;
    }

    /** The NID of a group. */
    public static int nid(int group) {
        return Nid.storageNid(Nid.NODES_PER_ROLE - 1 - require(group));
    }

    /** Whether a NID is that of a group, and of no node. */
    public static boolean isGroup(int nid) {
        return nid != Nid.NONE && (nid & 1) == 0 && Nid.reverse16(nid) >= END_OF_PEERS;
    }

    /**
     * The group with a NID.
     *
     * @throws IllegalArgumentException when the NID is none of a group
     */
    public static int of(int nid) {
        if (!isGroup(nid)) {
            throw new IllegalArgumentException(Nid.toHex(nid) + " is the NID of no slot group");
        }
        return Nid.NODES_PER_ROLE - 1 - Nid.reverse16(nid);
    }

    /** Returns the name of the group with a NID, for people: its slots, and the NID. */
    public static String nameOf(int nid) {
        return slotsOf(nid) + " (" + Nid.toHex(nid) + ")";
    }

    /** Returns the slots of the group with a NID, for people, such as 128-191. */
    public static String slotsOf(int nid) {
        int first = firstSlot(of(nid));
        return first + "-" + (first + SLOTS - 1);
    }

    private static int require(int group) {
        if (group < 0 || group >= COUNT) {
            throw new IllegalArgumentException("slot group " + group + " is not in 0.." + (COUNT - 1));
        }
        return group;
    }
}
