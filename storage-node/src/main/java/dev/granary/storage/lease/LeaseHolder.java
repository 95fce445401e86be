package dev.granary.storage.lease;

import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;

/** What a {@link LeaseKeeper} needs of its node. Called by tasks of the node's scheduler. */
public interface LeaseHolder {

    /**
     * Gets ready to serve, because the first lease of this incarnation was granted. The lease holds already. An
     * exception ends the node.
     *
     * @param nid the node's NID
     */
    void admitted(int nid, OpenLeaseReply grant);

    /**
     * Goes on, because this incarnation has got a lease again.
     *
     * @param grant the grant, with the present zones
     */
    void readmitted(OpenLeaseReply grant);

    /**
     * Takes newly reserved LIDs.
     *
     * @param reserved the LIDs with their zones, which must be known before a LID is given
     */
    void lidsReserved(ReserveLidsReply reserved);

    /** Takes the reply to a renewal of the lease. */
    void renewed(RenewLeaseReply renewal);

    /** Returns figures about what the node holds. */
    PeerStatistics statistics();

    /**
     * Ends the node, which must not serve again. The lease is revoked already.
     *
     * @param reason what happened and what to do, for people
     */
    void failed(String reason, Throwable cause);
}
