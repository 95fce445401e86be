package dev.granary.storage.lease;

import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;

/** What a {@link LeaseKeeper} needs of its node. Called by tasks of the node's scheduler. */
public interface LeaseHolder {

    /**
     * The first lease of this incarnation was granted: get ready to serve. The lease counts from now on already. What
     * this throws ends the node.
     *
     * @param nid the node's NID
     */
    void admitted(int nid, OpenLeaseReply grant);

    /**
     * The lease was granted again to this incarnation, which has had one before.
     *
     * @param grant with the zones as they are now
     */
    void readmitted(OpenLeaseReply grant);

    /**
     * LIDs are reserved.
     *
     * @param reserved with the zones of these LIDs, which are to be known before a LID is given
     */
    void lidsReserved(ReserveLidsReply reserved);

    /** The lease was renewed. */
    void renewed(RenewLeaseReply renewal);

    /** What the node holds. */
    PeerStatistics statistics();

    /**
     * The node must not serve again; the lease is revoked already.
     *
     * @param reason for people: what happened and what to do
     */
    void failed(String reason, Throwable cause);
}
