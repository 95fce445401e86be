package dev.granary.superpeer.node;

import dev.granary.overlay.Nid;
import dev.granary.raft.MemberId;

/**
 * Ids of Raft groups: 0 for the ring, and for an arc its generation above the 16 bits of its super-peer's NID, so that
 * no two arcs that ever were have the same.
 */
public final class GroupId {

    /** The group of the ring. */
    public static final long RING = 0;

    private GroupId() {}

    public static long ofArc(int generation, int nid) {
        return (long) generation << 16 | Nid.requireValid(nid);
    }

    /** Returns the NID of the super-peer to which the arc of a group belongs. */
    public static int nid(long group) {
        return (int) (group & Nid.MAX);
    }

    public static int generation(long group) {
        return (int) (group >>> 16);
    }

    /**
     * Returns the member that a super-peer is in a group. Each time that it is added it becomes another member, so that
     * its earlier votes and log count for nothing.
     *
     * @param membership 0 for the member with which the group began, otherwise another number each time
     */
    public static MemberId member(long membership, int nid) {
        return new MemberId(membership << 16 | Nid.requireValid(nid));
    }

    /** Returns the NID of the super-peer that a member is. */
    public static int nid(MemberId member) {
        return (int) (member.value() & Nid.MAX);
    }

    public static long membership(MemberId member) {
        return member.value() >>> 16;
    }

    /** Returns the beginning of the file names of a group's logs. */
    public static String logPrefix(long group) {
        String name = group == RING ? "ring" : "arc-" + generation(group) + "-" + Integer.toHexString(nid(group));
        return "raft-" + name + "-m";
    }

    /** Returns the file name of a member's log. */
    public static String logName(long group, MemberId member) {
        return logPrefix(group) + Long.toHexString(membership(member));
    }

    /** Returns the name of a group for people. */
    public static String describe(long group) {
        return group == RING ? "the ring" : "arc " + Nid.toHex(nid(group)) + " generation " + generation(group);
    }
}
