package dev.granary.storage.lease;

import dev.granary.net.message.OpenLeaseReply;
import dev.granary.net.message.PeerStatistics;

/** What a {@link LeaseKeeper} needs of its node. Called by tasks of the node's scheduler. */
public interface LeaseHolder {

    /**
     * The first lease of this incarnation was granted: get ready to serve. The lease counts from now on already. What
     * this throws ends the node.
     *
     * @param nid the node's NID
     */
    void admitted(int nid, OpenLeaseReply grant);

    /** LIDs below it are reserved; never less than before. */
    void lidsReserved(long lidLimit);

    /** What the node holds. */
    PeerStatistics statistics();

    /**
     * The node must not serve again; the lease is revoked already.
     *
     * @param reason for people: what happened and what to do
     */
    void failed(String reason, Throwable cause);
}
