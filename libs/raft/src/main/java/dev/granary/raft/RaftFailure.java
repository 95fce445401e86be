package dev.granary.raft;

import java.util.Optional;

/** Why a group did not do what was asked. */
public final class RaftFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What the failure means for the caller. */
    public enum Reason {
        /** Nothing was done; ask the leader. */
        NOT_LEADER,
        /** Nothing was done, because too many requests are open or the leader is new: ask again a little later. */
        BUSY,
        /** The command may be carried out, now or later, or never. */
        OUTCOME_UNKNOWN,
        /** Nothing was done, because the change does not start from the group's present members. */
        MEMBERS_DIFFER,
        /** Nothing was done, because the group has ended on this member. */
        ENDED
    }

    private final Reason reason;
    private final transient Optional<MemberId> leader;

    RaftFailure(Reason reason, Optional<MemberId> leader, String message) {
        super(message);
        this.reason = reason;
        this.leader = leader;
    }

    /** Returns the failure of a caller that does not even propose, because too many requests are open. */
    public static RaftFailure busy(String message) {
        return new RaftFailure(Reason.BUSY, Optional.empty(), message);
    }

    public Reason reason() {
        return reason;
    }

    /** Who leads, as far as this member knows. */
    public Optional<MemberId> leader() {
        return leader;
    }
}
