package dev.granary.superpeer.state;

import dev.granary.schema.U8;
import java.util.List;

/**
 * A zone to be made for reserved LIDs.
 *
 * @param lids how many LIDs, at least 1
 * @param members the storage peers that are to hold copies, in order
 * @param wanted how many members the zone should have
 */
public record NewZone(
        long lids, List<ZoneMember> members, @U8 int wanted) {

    /** Copies the members. */
    public NewZone {
        members = List.copyOf(members);
        if (lids < 1) {
            throw new IllegalArgumentException("a zone of " + lids + " LIDs");
        }
    }
}
