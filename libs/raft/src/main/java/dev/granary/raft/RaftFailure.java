package dev.granary.raft;

import java.util.Optional;

/** Why a group did not do what was asked. */
public final class RaftFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What the caller can make of it. */
    public enum Reason {
        /** Nothing was done; ask the leader. */
        NOT_LEADER,
        /** Nothing was done, since too much is under way, or the leader is new: ask again a little later. */
        BUSY,
        /** The command may be carried out, now or later, or never. */
        OUTCOME_UNKNOWN,
        /** Nothing was done, since it does not fit to the members that the group has by now. */
        MEMBERS_DIFFER,
        /** Nothing was done, since the group has ended on this member. */
        ENDED
    }

    private final Reason reason;
    private final transient Optional<MemberId> leader;

    RaftFailure(Reason reason, Optional<MemberId> leader, String message) {
        super(message);
        this.reason = reason;
        this.leader = leader;
    }

    /** A caller that does not even propose, since too much is under way already. */
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
