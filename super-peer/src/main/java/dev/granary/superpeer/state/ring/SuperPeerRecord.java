package dev.granary.superpeer.state.ring;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.RingMember;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import java.util.UUID;

/**
 * A super-peer that the ring knows: one on the ring or a ring candidate.
 *
 * @param nid its NID, which belongs to its disk for ever
 * @param diskId the disk
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param generation the number of its arc's Raft group, a new one each time that it joins the ring; 0 for a ring
 *     candidate
 */
public record SuperPeerRecord(
        @U16 int nid,
        UUID diskId,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        @I32 int generation) {

    /** A generation that no super-peer on the ring has. */
    public static final int OUTSIDE = 0;

    /** Whether this super-peer is on the ring. */
    public boolean isMember() {
        return generation != OUTSIDE;
    }

    /** Returns this super-peer as clients and storage peers see it on the ring. */
    RingMember member() {
        return new RingMember(nid, name, address, httpAddress);
    }

    SuperPeerRecord withGeneration(int newGeneration) {
        return new SuperPeerRecord(nid, diskId, name, address, httpAddress, newGeneration);
    }
}
