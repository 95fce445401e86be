package dev.granary.overlay;

import dev.granary.schema.U16;

/**
 * A super-peer on the ring.
 *
 * @param nid its place on the ring; the NID of a super-peer
 * @param name what people call it; not unique
 * @param address where it listens for other nodes and clients
 * @param httpAddress where it answers health, metrics and status
 */
public record RingMember(@U16 int nid, String name, HostAddress address, HostAddress httpAddress) {

    /** Checks that the NID is a super-peer's. */
    public RingMember {
        if (Nid.role(nid) != NodeRole.SUPER_PEER) {
            throw new IllegalArgumentException("NID " + Nid.toHex(nid) + " of '" + name + "' is not a super-peer's");
        }
    }
}
