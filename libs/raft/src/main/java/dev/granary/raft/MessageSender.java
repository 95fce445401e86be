package dev.granary.raft;

/** Takes messages to other members, on a best effort: they may be lost, late, doubled and in any order. */
@FunctionalInterface
public interface MessageSender {

    /**
     * Sends a message and does not wait. Called by the group's scheduler only. The receiver hands the message to {@link
     * RaftGroup#receive} of its part of the same group. The sender knows where to reach the member.
     *
     * @param message at most {@link RaftGroup#MAX_MESSAGE_BYTES}, not changed afterwards
     */
    void send(MemberId to, byte[] message);
}
