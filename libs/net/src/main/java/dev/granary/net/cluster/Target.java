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
 * @param beside whether by a connection beside the one that others to the address share
 */
public record Target(HostAddress address, int nid, boolean beside) {

    /** A target that is reached by the connection that others to the address share. */
    public Target(HostAddress address, int nid) {
        this(address, nid, false);
    }

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

    /**
     * Returns the same target, reached by another connection. Where an address stands for several nodes, as that of a
     * Kubernetes Service does, this one may lead to another node than the first.
     */
    public Target besideTheFirst() {
        return new Target(address, nid, true);
    }

    /** For people. */
    @Override
    public String toString() {
        return nid == Nid.NONE ? address.toString() : Nid.toHex(nid) + " at " + address;
    }
}
