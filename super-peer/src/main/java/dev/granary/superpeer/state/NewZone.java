package dev.granary.superpeer.state;

import dev.granary.schema.U8;
import java.util.List;

/**
 * A zone to be made for LIDs that are reserved.
 *
 * @param lids how many, at least 1
 * @param members who is to hold copies, in order
 * @param wanted how many members it should have
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
