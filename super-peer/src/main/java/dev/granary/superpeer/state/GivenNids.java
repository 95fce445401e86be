package dev.granary.superpeer.state;

import dev.granary.overlay.Nid;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The NIDs that a ring must count as given when it is rebuilt (ADR 0127): all NIDs that a report mentions, and all up
 * to the next multiple of {@value #STEP} of each role. So a NID that no report mentions is not given again either, and
 * the arcs of the next super-peers are even. NIDs of slot groups are never given (ADR 0280), so that reports
 * which mention one say nothing of nodes. Pure.
 */
public final class GivenNids {

    private static final int STEP = 256;

    /** The upper half of a disk id that stands for no known disk. */
    private static final long NOBODY = 0x6e6f_626f_6479_0000L;

    private GivenNids() {}

    /** Returns the disk id that stands for a NID without a known disk. */
    public static UUID nobody(int nid) {
        return new UUID(NOBODY, nid);
    }

    /** Whether a disk id stands for a NID without a known disk. */
    public static boolean isNobody(UUID diskId) {
        return diskId.getMostSignificantBits() == NOBODY;
    }

    /**
     * Returns the assignments, in the order in which {@link NidAllocator} gives NIDs.
     *
     * @param disks of the NIDs of storage peers that have reported
     * @param mentioned other NIDs of both roles that reports mention as given
     */
    public static List<NidAllocator.Assignment> list(Map<Integer, UUID> disks, Collection<Integer> mentioned) {
        int lastStorageK = 0;
        int lastSuperPeerK = 0;
        List<Integer> all = new ArrayList<>(disks.keySet());
        all.addAll(mentioned);
        for (int nid : all) {
            if (SlotGroup.isGroup(nid)) {
                continue;
            }
            int k = Nid.reverse16(nid & ~1);
            if (Nid.role(nid) == NodeRole.STORAGE_PEER) {
                lastStorageK = Math.max(lastStorageK, k);
            } else {
                lastSuperPeerK = Math.max(lastSuperPeerK, k);
            }
        }
        Map<Integer, UUID> known = new HashMap<>(disks);
        List<NidAllocator.Assignment> given = new ArrayList<>();
        for (int k = 0; k < beyond(lastSuperPeerK, Nid.NODES_PER_ROLE); k++) {
            int nid = Nid.superPeerNid(k);
            given.add(new NidAllocator.Assignment(nobody(nid), nid));
        }
        for (int k = 1; k < beyond(lastStorageK, SlotGroup.END_OF_PEERS); k++) {
            int nid = Nid.storageNid(k);
            given.add(new NidAllocator.Assignment(known.getOrDefault(nid, nobody(nid)), nid));
        }
        return given;
    }

    /** The k from which on NIDs are free. */
    private static int beyond(int lastK, int end) {
        return Math.min((lastK / STEP + 1) * STEP, end);
    }
}
