package dev.granary.storage.recover;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.util.List;

/** Takes zones that this peer owns from now on. Called by tasks of the scheduler. */
public interface ZoneTaker {

    /**
     * Serves a zone from now on. All its chunks are in memory, and the arc has committed this peer as its owner.
     *
     * @param placement the placement of the zone
     * @param ranges the ranges in the zone
     * @param lastSequence the sequence up to which the members have everything
     * @param opened whether all members know this epoch already and have nothing behind {@code lastSequence}
     */
    void take(Placement placement, List<CidRange> ranges, long lastSequence, boolean opened);

    /**
     * Takes LIDs of this incarnation back that another peer owned meanwhile. Those without a chunk may be given to new
     * chunks again.
     */
    void returned(long startCid, long endCidInclusive);
}
