package dev.granary.storage.recover;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.util.List;

/** Takes zones that this peer owns from now on. Called by tasks of the scheduler. */
public interface ZoneTaker {

    /**
     * All chunks of a zone are in memory, and this peer is its owner as the arc has committed it: it is to be served.
     *
     * @param placement of the zone
     * @param ranges that are in it
     * @param lastSequence the members have everything up to it
     * @param opened whether all members know this epoch already and have nothing behind that sequence
     */
    void take(Placement placement, List<CidRange> ranges, long lastSequence, boolean opened);

    /**
     * Own LIDs come back that others owned in this incarnation: they may be given to new chunks again,
     * where there is none.
     */
    void returned(long startCid, long endCidInclusive);
}
