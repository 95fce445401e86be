package dev.granary.raft;

import io.microraft.RaftEndpoint;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.PreVoteRequest;
import io.microraft.model.message.PreVoteResponse;
import io.microraft.model.message.RaftMessage;
import io.microraft.model.message.VoteRequest;
import io.microraft.model.message.VoteResponse;
import java.util.Optional;

/** Forges answers of Raft members for planted bugs: granted votes, and the success of appends that were not made. */
public final class ForgedReplies {

    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();

    private ForgedReplies() {}

    /** A member, as the sender of its messages. */
    public record Signature(RaftEndpoint member) {}

    /** Returns the sender of a message. */
    public static Signature signatureOf(byte[] message) {
        return new Signature(MessageCodec.decode(message).getSender());
    }

    /** Whether a message is a leader's AppendEntries, with entries or as a heartbeat. */
    public static boolean isAppend(byte[] message) {
        return MessageCodec.decode(message) instanceof AppendEntriesRequest;
    }

    /** Whether a message is a vote request or a pre-vote request. */
    public static boolean isVote(byte[] message) {
        RaftMessage decoded = MessageCodec.decode(message);
        return decoded instanceof VoteRequest || decoded instanceof PreVoteRequest;
    }

    /** Turns a refused vote or pre-vote into a granted one; empty when the message is no refused vote. */
    public static Optional<byte[]> granted(byte[] message) {
        RaftMessage decoded = MessageCodec.decode(message);
        return switch (decoded) {
            case VoteResponse refused
            when !refused.isGranted() ->
                Optional.of(MessageCodec.encode(MODEL.createVoteResponseBuilder()
                        .setGroupId(refused.getGroupId())
                        .setSender(refused.getSender())
                        .setTerm(refused.getTerm())
                        .setGranted(true)
                        .build()));
            case PreVoteResponse refused
            when !refused.isGranted() ->
                Optional.of(MessageCodec.encode(MODEL.createPreVoteResponseBuilder()
                        .setGroupId(refused.getGroupId())
                        .setSender(refused.getSender())
                        .setTerm(refused.getTerm())
                        .setGranted(true)
                        .build()));
            default -> Optional.empty();
        };
    }

    /** Returns a follower's success reply to a message that appends entries; empty when it is another message. */
    public static Optional<byte[]> successOf(byte[] message, Signature follower) {
        RaftMessage decoded = MessageCodec.decode(message);
        if (!(decoded instanceof AppendEntriesRequest append)
                || append.getLogEntries().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(MessageCodec.encode(MODEL.createAppendEntriesSuccessResponseBuilder()
                .setGroupId(append.getGroupId())
                .setSender(follower.member())
                .setTerm(append.getTerm())
                .setLastLogIndex(
                        append.getPreviousLogIndex() + append.getLogEntries().size())
                .setQuerySequenceNumber(append.getQuerySequenceNumber())
                .setFlowControlSequenceNumber(append.getFlowControlSequenceNumber())
                .build()));
    }
}
