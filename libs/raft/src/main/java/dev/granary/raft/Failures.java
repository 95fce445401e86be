package dev.granary.raft;

import dev.granary.env.Futures;
import dev.granary.raft.RaftFailure.Reason;
import io.microraft.RaftEndpoint;
import io.microraft.exception.CannotReplicateException;
import io.microraft.exception.LaggingCommitIndexException;
import io.microraft.exception.MismatchingRaftGroupMembersCommitIndexException;
import io.microraft.exception.NotLeaderException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns the library's exceptions into {@link RaftFailure}s. */
final class Failures {

    private Failures() {}

    static RaftFailure of(Throwable thrown) {
        Throwable cause = Futures.causeOf(thrown);
        return switch (cause) {
            case RaftFailure ours -> ours;
            case NotLeaderException other ->
                new RaftFailure(Reason.NOT_LEADER, member(other.getLeader()), "this member does not lead");
            case CannotReplicateException busy ->
                new RaftFailure(Reason.BUSY, member(busy.getLeader()), "too many requests, or the leader is new");
            case LaggingCommitIndexException lagging ->
                new RaftFailure(Reason.BUSY, member(lagging.getLeader()), "the leader is new");
            case MismatchingRaftGroupMembersCommitIndexException other ->
                new RaftFailure(Reason.MEMBERS_DIFFER, Optional.empty(), "the members of the group have changed");
            case IllegalArgumentException other ->
                new RaftFailure(Reason.MEMBERS_DIFFER, Optional.empty(), String.valueOf(other.getMessage()));
            default -> new RaftFailure(Reason.OUTCOME_UNKNOWN, Optional.empty(), "nobody knows the outcome: " + cause);
        };
    }

    private static Optional<MemberId> member(@Nullable RaftEndpoint endpoint) {
        return Optional.ofNullable(endpoint).map(Endpoint::memberOf);
    }
}
