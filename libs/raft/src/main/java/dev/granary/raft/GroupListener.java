package dev.granary.raft;

import java.util.Optional;

/** Called when something happens to a group on this member, on the group's scheduler. */
public interface GroupListener {

    /** The leader has changed, or there is none at the moment, as far as this member knows. */
    default void leaderChanged(long term, Optional<MemberId> leader) {}

    /** A committed change removed this member from the group; it does nothing more in it. */
    default void removed() {}

    /**
     * This member of the group has failed: its log failed, or its state machine threw. It no longer sends or answers
     * anything, and never tries a failed disk again. Restart it from what is on the disk, as after a kill of the
     * process.
     */
    void failed(String reason, Throwable cause);
}
