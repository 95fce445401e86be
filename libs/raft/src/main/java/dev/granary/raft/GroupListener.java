package dev.granary.raft;

import java.util.Optional;

/** Called when something happens to a group on this member, on the group's scheduler. */
public interface GroupListener {

    /** Another leader, or none at the moment, as far as this member knows. */
    default void leaderChanged(long term, Optional<MemberId> leader) {}

    /** This member was removed from the group by a committed change, and does nothing in it any more. */
    default void removed() {}

    /**
     * This member of the group has failed: its log failed, or its state machine threw. It sends and answers nothing any
     * more, and never tries a failed disk again. Restart it from what is on the disk, as after a kill of the process.
     */
    void failed(String reason, Throwable cause);
}
