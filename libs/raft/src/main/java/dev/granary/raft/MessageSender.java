package dev.granary.raft;

/** Takes messages to other members, on a best effort: they may be lost, late, doubled and in any order. */
@FunctionalInterface
public interface MessageSender {

    /**
     * Sends a message and does not wait. Called by the group's scheduler only. What arrives is handed to {@link
     * RaftGroup#receive} of the same group of that member; where a member is reached is the sender's business.
     *
     * @param message at most {@link RaftGroup#MAX_MESSAGE_BYTES}, not changed afterwards
     */
    void send(MemberId to, byte[] message);
}
