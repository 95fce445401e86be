package dev.granary.net.cluster;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.RingMember;
import java.util.List;

/**
 * Where to send a request.
 *
 * @param address of the node
 * @param nid that must answer there, {@link Nid#NONE} for any
 */
public record Target(HostAddress address, int nid) {

    /** Whoever answers at an address. */
    public static Target at(HostAddress address) {
        return new Target(address, Nid.NONE);
    }

    /** A super-peer, as the ring knows it. */
    public static Target of(RingMember member) {
        return new Target(member.address(), member.nid());
    }

    /** Super-peers in their order. */
    public static List<Target> of(List<RingMember> members) {
        return members.stream().map(Target::of).toList();
    }

    /** For people. */
    @Override
    public String toString() {
        return nid == Nid.NONE ? address.toString() : Nid.toHex(nid) + " at " + address;
    }
}
