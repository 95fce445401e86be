package dev.granary.raft;

import java.util.Optional;

/**
 * What a member knows of its group at a moment.
 *
 * @param role of this member
 * @param term the number of the present leadership, from 1 on; 0 before the first
 * @param leader as far as known; may be out of date
 * @param commitIndex the last command that is known to be on a majority
 * @param lastLogIndex the last command that is in this member's log
 * @param snapshotIndex the last command that is part of the last snapshot, 0 for none
 * @param members the last committed ones
 */
public record RaftStatus(
        Role role,
        long term,
        Optional<MemberId> leader,
        long commitIndex,
        long lastLogIndex,
        long snapshotIndex,
        GroupMembers members) {

    /** What a member is in its group. */
    public enum Role {
        LEADER,
        FOLLOWER,
        CANDIDATE,
        LEARNER,
        /** Removed, closed or failed. */
        ENDED
    }
}
