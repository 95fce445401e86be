package dev.granary.superpeer;

import dev.granary.overlay.Nid;

/**
 * Ids of Raft groups: 0 for the ring, and for an arc its generation above the 16 bits of its super-peer's NID, so that no
 * two arcs that ever were have the same.
 */
final class GroupId {

    /** The group of the ring. */
    static final long RING = 0;

    private GroupId() {}

    static long ofArc(int generation, int nid) {
        return (long) generation << 16 | Nid.requireValid(nid);
    }

    /** The super-peer whose arc it is. */
    static int nid(long group) {
        return (int) (group & Nid.MAX);
    }

    static int generation(long group) {
        return (int) (group >>> 16);
    }

    /** The name of its log's files. */
    static String logName(long group) {
        return group == RING ? "raft-ring" : "raft-arc-" + generation(group) + "-" + Integer.toHexString(nid(group));
    }

    /** The group as people see it. */
    static String describe(long group) {
        return group == RING ? "the ring" : "arc " + Nid.toHex(nid(group)) + " generation " + generation(group);
    }
}
