package dev.granary.raft;

import dev.granary.env.Environment;
import dev.granary.env.Futures;
import dev.granary.env.Scheduler.Timer;
import dev.granary.env.Steps;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Adds a voter in three steps: it becomes a learner, it catches up, it votes. It has caught up when it has everything
 * that was committed when the leader first saw it follow. The leader looks once a heartbeat.
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
    private final Steps steps;
    private final Progress progress;
    private final MemberId member;
    private final long heartbeatNanos;
    private final long limitNanos;
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
        this.steps = new Steps(environment.scheduler(), "voter-addition", heartbeatNanos);
        this.progress = progress;
        this.member = member;
        this.heartbeatNanos = heartbeatNanos;
        this.limitNanos = limitNanos;
    }

    /** Starts. The future fails when a request to the group fails, or when the limit passes first. */
    CompletableFuture<GroupMembers> start() {
        Timer limit = environment.scheduler().schedule(limitNanos, this::tooLate);
        var _ = result.whenComplete((members, failure) -> limit.cancel());
        step(this::begin);
        return result;
    }

    private void tooLate() {
        fail(new RaftFailure(
                RaftFailure.Reason.BUSY, group.leader(), "member " + member + " has not caught up in time"));
    }

    private void begin() {
        goOn(group.status(), status -> {
            GroupMembers members = status.members();
            if (members.voters().contains(member)) {
                result.complete(members);
            } else if (members.learners().contains(member)) {
                look();
            } else {
                goOn(group.addLearner(member, members.version()), added -> look());
            }
        });
    }

    private void look() {
        goOn(progress.of(member), this::seen);
    }

    private void seen(Seen seen) {
        RaftStatus status = seen.status();
        if (status.role() != RaftStatus.Role.LEADER) {
            fail(new RaftFailure(RaftFailure.Reason.NOT_LEADER, status.leader(), "not the leader any more"));
            return;
        }
        if (seen.matchIndex() > 0 && goalIndex == 0) {
            goalIndex = status.commitIndex();
        }
        if (goalIndex > 0 && seen.matchIndex() >= goalIndex) {
            goOn(group.promote(member, status.members().version()), result::complete);
        } else {
            steps.after(heartbeatNanos, () -> unlessOver(this::look), this::again);
        }
    }

    /** The way out of each step: begins with the first one again, which finds what has been reached. */
    private void again() {
        unlessOver(this::begin);
    }

    private void step(Runnable step) {
        steps.run(() -> unlessOver(step), this::again);
    }

    private void unlessOver(Runnable step) {
        if (!result.isDone()) {
            step.run();
        }
    }

    private <T> void goOn(CompletableFuture<T> asked, Consumer<T> next) {
        var _ = asked.whenComplete((answer, failure) -> {
            if (failure == null) {
                step(() -> next.accept(answer));
            } else {
                fail(Futures.causeOf(failure));
            }
        });
    }

    private void fail(Throwable failure) {
        result.completeExceptionally(failure);
    }
}
