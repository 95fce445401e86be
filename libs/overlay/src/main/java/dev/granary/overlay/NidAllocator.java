package dev.granary.overlay;

import dev.granary.schema.U16;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Gives NIDs to disks: the same disk always gets the same NID, and no NID is given twice, not even when its disk never
 * comes back (SAFETY rule "LIDs and NIDs"). Deterministic: the same calls in the same order give the same NIDs, so that
 * it can be part of a replicated state machine. Not thread-safe.
 *
 * <p>Invariants: (1) the k-th assignment of a role, counted as {@link Nid} counts, has the k-th NID of that role;
 * (2) no disk has two assignments; (3) no assignment has the NID of a {@link SlotGroup}.
 */
public final class NidAllocator {

    private static final int FIRST_STORAGE_K = 1;
    private static final int FIRST_SUPER_PEER_K = 0;

    private final List<Assignment> assignments = new ArrayList<>();
    private final Map<UUID, Assignment> byDisk = new HashMap<>();
    private int nextStorageK = FIRST_STORAGE_K;
    private int nextSuperPeerK = FIRST_SUPER_PEER_K;

    /**
     * What has been given.
     *
     * @param diskId the durable identity of the disk
     * @param nid shows the role, too
     */
    public record Assignment(UUID diskId, @U16 int nid) {}

    /** Makes an allocator that has given no NID. */
    public NidAllocator() {}

    /**
     * Returns an allocator that has given these NIDs.
     *
     * @param assignments as {@link #assignments} returned them
     * @throws IllegalArgumentException when no allocator can have given them
     */
    public static NidAllocator restore(List<Assignment> assignments) {
        NidAllocator allocator = new NidAllocator();
        for (Assignment assignment : assignments) {
            boolean isNew = allocator.find(assignment.diskId).isEmpty();
            int given = isNew ? allocator.allocate(assignment.diskId, Nid.role(assignment.nid)) : Nid.NONE;
            if (given != assignment.nid) {
                throw new IllegalArgumentException(
                        "disk " + assignment.diskId + " cannot have been given NID " + Nid.toHex(assignment.nid));
            }
        }
        return allocator;
    }

    /** Everything that has been given, in order; what {@link #restore} needs. */
    public List<Assignment> assignments() {
        return List.copyOf(assignments);
    }

    /** The NID that a disk has. */
    public OptionalInt find(UUID diskId) {
        Assignment known = byDisk.get(diskId);
        return known == null ? OptionalInt.empty() : OptionalInt.of(known.nid);
    }

    /**
     * Returns the NID of a disk; gives it the next NID of the role when it has none.
     *
     * @throws IllegalStateException when the disk has a NID of the other role, or all NIDs of the role are given
     */
    public int allocate(UUID diskId, NodeRole role) {
        Assignment known = byDisk.get(diskId);
        if (known != null) {
            if (Nid.role(known.nid) != role) {
                throw new IllegalStateException(
                        "disk " + diskId + " has NID " + Nid.toHex(known.nid) + ", which is no NID of a " + role);
            }
            return known.nid;
        }
        int k = role == NodeRole.STORAGE_PEER ? nextStorageK : nextSuperPeerK;
        int end = role == NodeRole.STORAGE_PEER ? SlotGroup.END_OF_PEERS : Nid.NODES_PER_ROLE;
        if (k >= end) {
            throw new IllegalStateException("all NIDs of the role " + role + " are given"
                    + (role == NodeRole.STORAGE_PEER
                            ? ": " + (end - FIRST_STORAGE_K) + ", for the last " + SlotGroup.COUNT
                                    + " belong to the slot groups of keys"
                            : ""));
        }
        int nid;
        if (role == NodeRole.STORAGE_PEER) {
            nid = Nid.storageNid(k);
            nextStorageK = k + 1;
        } else {
            nid = Nid.superPeerNid(k);
            nextSuperPeerK = k + 1;
        }
        Assignment assignment = new Assignment(diskId, nid);
        assignments.add(assignment);
        byDisk.put(diskId, assignment);
        return nid;
    }
}
