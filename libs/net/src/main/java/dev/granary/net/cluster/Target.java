package dev.granary.net.cluster;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.RingMember;
import java.util.List;

/**
 * Where to send a request.
 *
 * @param address the address of the node
 * @param nid the NID of the node that must answer there, {@link Nid#NONE} for any
 */
public record Target(HostAddress address, int nid) {

    /** Returns the target for any node that answers at an address. */
    public static Target at(HostAddress address) {
        return new Target(address, Nid.NONE);
    }

    /** Returns the target for a super-peer of the ring. */
    public static Target of(RingMember member) {
        return new Target(member.address(), member.nid());
    }

    /** Returns the targets for super-peers, in their order. */
    public static List<Target> of(List<RingMember> members) {
        return members.stream().map(Target::of).toList();
    }

    /** For people. */
    @Override
    public String toString() {
        return nid == Nid.NONE ? address.toString() : Nid.toHex(nid) + " at " + address;
    }
}
