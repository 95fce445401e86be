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

/** What a member would say that has appended what it is asked to append. For planted bugs. */
public final class ForgedReplies {

    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();

    private ForgedReplies() {}

    /** A member as it signs its messages. */
    public record Signature(RaftEndpoint member) {}

    /** Who sent a message. */
    public static Signature signatureOf(byte[] message) {
        return new Signature(MessageCodec.decode(message).getSender());
    }

    /** Whether a message is a leader's, to append something or to show that it lives. */
    public static boolean isAppend(byte[] message) {
        return MessageCodec.decode(message) instanceof AppendEntriesRequest;
    }

    /** Whether a message asks for a vote, or whether one would get it. */
    public static boolean isVote(byte[] message) {
        RaftMessage decoded = MessageCodec.decode(message);
        return decoded instanceof VoteRequest || decoded instanceof PreVoteRequest;
    }

    /** The vote that a member has refused, granted; empty when the message is another one. */
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

    /** The success of a message that appends entries; empty when it is another one. */
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
