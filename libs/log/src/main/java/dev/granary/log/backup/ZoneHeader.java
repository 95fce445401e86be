package dev.granary.log.backup;

import java.util.List;
import java.util.UUID;

/**
 * The owner of a zone and its in-sync backups, as the log of the zone knows them. A cluster that has lost everything
 * except its disks is rebuilt from these headers (SAFETY rule "bootstrap and restart").
 *
 * @param clusterId of the cluster, minted once
 * @param zone positive, the creating NID in bits 15 to 30
 * @param owner the NID of the storage peer that serves the zone
 * @param epoch of the placement, 0 or more
 * @param members the NIDs of the in-sync backups, in order, at most {@link #MAX_MEMBERS}
 * @param baseSequence the copy starts with the zone as it was after this sequence; 0 is the empty zone
 * @param filling the copy is being filled with what the zone was at its base: it is not whole until {@link
 *     BackupLog#filled}
 */
public record ZoneHeader(
        UUID clusterId, int zone, int owner, long epoch, List<Integer> members, long baseSequence, boolean filling) {

    /** The most backups of a zone. */
    public static final int MAX_MEMBERS = 8;

    /** Checks the ranges. */
    public ZoneHeader {
        members = List.copyOf(members);
        if (epoch < 0 || baseSequence < 0) {
            throw new IllegalArgumentException("zone " + hex(zone) + ": epoch " + epoch + " and base sequence "
                    + baseSequence + " must not be negative");
        }
        if (members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException(
                    "zone " + hex(zone) + ": " + members.size() + " backups; at most " + MAX_MEMBERS + " are allowed");
        }
        requireNid(owner);
        members.forEach(ZoneHeader::requireNid);
    }

    private static void requireNid(int nid) {
        if (nid < 0 || nid > 0xFFFF) {
            throw new IllegalArgumentException(nid + " is no NID");
        }
    }

    /** Returns the id of a zone as people see it and as files are named. */
    static String hex(int zone) {
        return String.format("%08x", zone);
    }
}
