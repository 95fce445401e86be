package dev.granary.storage.replicate;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.util.List;

/**
 * A zone that this peer owns from now on, as its arc has committed it.
 *
 * @param placement the placement of the zone: this peer as owner, members, epoch, zone id
 * @param ranges the ranges in the zone; their placements are ignored
 * @param lastSequence the last sequence of the members' copies; 0 for a new zone
 * @param opened whether the members' copies have been opened at this epoch already
 * @param fresh whether nothing was ever in the zone: then it does not refuse writes because it has fewer members than
 *     it should, as it never had more
 */
public record ZoneGrant(Placement placement, List<CidRange> ranges, long lastSequence, boolean opened, boolean fresh) {

    public ZoneGrant {
        ranges = List.copyOf(ranges);
    }
}
