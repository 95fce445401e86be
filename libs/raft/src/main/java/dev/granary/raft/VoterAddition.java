package dev.granary.raft;

import dev.granary.env.Environment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Adds a voter in three steps: it becomes a learner, it catches up, it votes. It has caught up when it has everything
 * that was committed when it was first seen to follow, and that is looked at once a heartbeat.
 */
final class VoterAddition {

    /** What the leader knows of its followers. */
    interface Progress {
        /** How far a member's log is known to go, with the status of the group at that moment. */
        CompletableFuture<Seen> of(MemberId member);
    }

    record Seen(RaftStatus status, long matchIndex) {}

    private final RaftGroup group;
    private final Environment environment;
    private final Progress progress;
    private final MemberId member;
    private final long heartbeatNanos;
    private final long deadlineNanos;
    private final CompletableFuture<GroupMembers> result = new CompletableFuture<>();
    private long goalIndex;

    VoterAddition(
            RaftGroup group,
            Environment environment,
            Progress progress,
            MemberId member,
            long heartbeatNanos,
            long limitNanos) {
        this.group = group;
        this.environment = environment;
        this.progress = progress;
        this.member = member;
        this.heartbeatNanos = heartbeatNanos;
        this.deadlineNanos = environment.clock().nanoTime() + limitNanos;
    }

    CompletableFuture<GroupMembers> start() {
        step(() -> group.status().thenAccept(status -> {
            GroupMembers members = status.members();
            if (members.voters().contains(member)) {
                result.complete(members);
            } else if (members.learners().contains(member)) {
                look();
            } else {
                step(() -> group.addLearner(member, members.version()).thenRun(this::look));
            }
        }));
        return result;
    }

    private void look() {
        step(() -> progress.of(member).thenAccept(this::seen));
    }

    private void seen(Seen seen) {
        RaftStatus status = seen.status();
        if (status.role() != RaftStatus.Role.LEADER) {
            fail(RaftFailure.Reason.NOT_LEADER, status.leader(), "not the leader any more");
            return;
        }
        if (seen.matchIndex() > 0 && goalIndex == 0) {
            goalIndex = status.commitIndex();
        }
        if (goalIndex > 0 && seen.matchIndex() >= goalIndex) {
            step(() -> group.promote(member, status.members().version()).thenAccept(result::complete));
        } else if (environment.clock().nanoTime() - deadlineNanos >= 0) {
            fail(RaftFailure.Reason.BUSY, status.leader(), "member " + member + " has not caught up in time");
        } else {
            environment.scheduler().schedule(heartbeatNanos, this::look);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its failure is taken over
    private void step(Supplier<CompletableFuture<Void>> action) {
        CompletableFuture<Void> begun;
        try {
            begun = action.get();
        } catch (RuntimeException e) {
            // Run by a timer: nobody else would tell who waits for the result.
            result.completeExceptionally(e);
            return;
        }
        begun.whenComplete((done, failure) -> {
            if (failure != null) {
                Throwable cause = failure.getCause();
                result.completeExceptionally(cause instanceof RaftFailure ? cause : failure);
            }
        });
    }

    private void fail(RaftFailure.Reason reason, Optional<MemberId> leader, String message) {
        result.completeExceptionally(new RaftFailure(reason, leader, message));
    }
}
