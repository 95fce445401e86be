package dev.granary.raft;

import dev.granary.env.Environment;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One member's part of a group that replicates a state machine: the only view of Raft that the rest of Granary has (ADR
 * 0085; Ongaro, "Consensus: Bridging Theory and Practice", 2014). All methods may be called by any thread; futures
 * complete on the group's scheduler, exceptionally with {@link RaftFailure}.
 *
 * <p>It promises, whatever is lost, late, doubled or restarted, as long as no member loses synced bytes:
 *
 * <ol>
 *   <li>A command whose answer was given was applied once, and will be part of every later state.
 *   <li>All members apply the same commands in the same order.
 *   <li>A query sees every command that was answered before it was asked.
 * </ol>
 *
 * If a caller repeats a proposal of unknown outcome, the group may apply it twice: commands must allow for that.
 */
public interface RaftGroup {

    /** The largest command, question and piece of a snapshot. */
    int MAX_COMMAND_BYTES = 1 << 20;

    /** The largest message between members. */
    int MAX_MESSAGE_BYTES = MAX_COMMAND_BYTES + (64 << 10);

    /**
     * Opens this member's part with what is on its disk, and starts it.
     *
     * @param environment its clock, scheduler, disk and random numbers
     * @throws IOException when the log cannot be read, or is damaged, or is that of another group or member
     */
    static RaftGroup open(
            RaftConfig config,
            Environment environment,
            MessageSender sender,
            ReplicatedStateMachine stateMachine,
            GroupListener listener)
            throws IOException {
        return MicroRaftGroup.open(config, environment, sender, stateMachine, listener);
    }

    /** Replicates and applies a command; on the leader only. Completes with the state machine's answer. */
    CompletableFuture<byte[]> propose(byte[] command);

    /** Asks the state machine, once it is certain that no other member leads; on the leader only. */
    CompletableFuture<byte[]> query(byte[] question);

    /** Who leads, as far as this member knows; may be out of date. */
    Optional<MemberId> leader();

    /** How many bytes this member's log has on its disk beside the last snapshot. */
    long logBytes();

    /** What this member knows of the group. */
    CompletableFuture<RaftStatus> status();

    /**
     * Adds a member that follows and does not count, so that it can catch up. Start it with the same founders as all
     * others. A group has at most two learners at a time.
     *
     * @param version of the members that the change starts from
     */
    CompletableFuture<GroupMembers> addLearner(MemberId member, long version);

    /** Lets a learner vote. Use {@link #addVoter} unless it is known to have caught up. */
    CompletableFuture<GroupMembers> promote(MemberId learner, long version);

    /** Removes a member. A leader may remove itself; it then ends. */
    CompletableFuture<GroupMembers> remove(MemberId member, long version);

    /**
     * Adds a member as a learner, unless it already is one, waits until it has caught up, and lets it vote: one
     * change after the other. If the limit passes first, it stays a learner and the future fails with {@link
     * RaftFailure.Reason#BUSY}.
     */
    CompletableFuture<GroupMembers> addVoter(MemberId member, long limitNanos);

    /** Lets another voter lead; on the leader only. */
    CompletableFuture<Void> transferLeadership(MemberId to);

    /** Replaces the log so far by a snapshot; the group also does so by itself after a number of commands. */
    CompletableFuture<Void> takeSnapshot();

    /** Takes a message that a member of the group has sent; one that makes no sense is dropped. */
    void receive(byte[] message);

    /** Ends this member's part. What is on the disk stays; open proposals end with an unknown outcome. */
    void close();
}
