package dev.granary.raft;

import io.microraft.RaftEndpoint;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.message.AppendEntriesFailureResponse;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.AppendEntriesSuccessResponse;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.InstallSnapshotResponse;
import io.microraft.model.message.PreVoteRequest;
import io.microraft.model.message.PreVoteResponse;
import io.microraft.model.message.RaftMessage;
import io.microraft.model.message.TriggerLeaderElectionRequest;
import io.microraft.model.message.VoteRequest;
import io.microraft.model.message.VoteResponse;
import java.util.ArrayList;
import java.util.List;

/** Messages between members; docs/formats/raft.md shows every layout. The transport computes the checksums. */
final class MessageCodec {

    private static final int VERSION = 1;
    private static final int APPEND = 1;
    private static final int APPENDED = 2;
    private static final int APPEND_FAILED = 3;
    private static final int SNAPSHOT = 4;
    private static final int SNAPSHOT_WANTED = 5;
    private static final int PRE_VOTE = 6;
    private static final int PRE_VOTED = 7;
    private static final int VOTE = 8;
    private static final int VOTED = 9;
    private static final int ELECT = 10;

    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();

    private MessageCodec() {}

    static byte[] encode(RaftMessage message) {
        FieldWriter out = new FieldWriter();
        out.putByte(VERSION).putByte(kindOf(message)).putLong((Long) message.getGroupId());
        Entries.writeMember(message.getSender(), out);
        out.putInt(message.getTerm());
        switch (message) {
            case AppendEntriesRequest append -> writeAppend(append, out);
            case AppendEntriesSuccessResponse done ->
                out.putLong(done.getLastLogIndex())
                        .putLong(done.getQuerySequenceNumber())
                        .putLong(done.getFlowControlSequenceNumber());
            case AppendEntriesFailureResponse failed ->
                out.putLong(failed.getExpectedNextIndex())
                        .putLong(failed.getQuerySequenceNumber())
                        .putLong(failed.getFlowControlSequenceNumber());
            case InstallSnapshotRequest install -> writeInstall(install, out);
            case InstallSnapshotResponse wanted ->
                out.putLong(wanted.getSnapshotIndex())
                        .putInt(wanted.getRequestedSnapshotChunkIndex())
                        .putLong(wanted.getQuerySequenceNumber())
                        .putLong(wanted.getFlowControlSequenceNumber());
            case PreVoteRequest vote -> out.putInt(vote.getLastLogTerm()).putLong(vote.getLastLogIndex());
            case PreVoteResponse voted -> out.putFlag(voted.isGranted());
            case VoteRequest vote ->
                out.putInt(vote.getLastLogTerm())
                        .putLong(vote.getLastLogIndex())
                        .putFlag(vote.isSticky());
            case VoteResponse voted -> out.putFlag(voted.isGranted());
            case TriggerLeaderElectionRequest elect ->
                out.putInt(elect.getLastLogTerm()).putLong(elect.getLastLogIndex());
            default -> throw new IllegalStateException("a message of " + message.getClass());
        }
        return out.toArray();
    }

    private static int kindOf(RaftMessage message) {
        return switch (message) {
            case AppendEntriesRequest append -> APPEND;
            case AppendEntriesSuccessResponse done -> APPENDED;
            case AppendEntriesFailureResponse failed -> APPEND_FAILED;
            case InstallSnapshotRequest install -> SNAPSHOT;
            case InstallSnapshotResponse wanted -> SNAPSHOT_WANTED;
            case PreVoteRequest vote -> PRE_VOTE;
            case PreVoteResponse voted -> PRE_VOTED;
            case VoteRequest vote -> VOTE;
            case VoteResponse voted -> VOTED;
            case TriggerLeaderElectionRequest elect -> ELECT;
            default -> throw new IllegalStateException("a message of " + message.getClass());
        };
    }

    /**
     * Reads a message.
     *
     * @throws IllegalArgumentException when the bytes are not a message that this version knows
     */
    static RaftMessage decode(byte[] bytes) {
        FieldReader in = new FieldReader(bytes);
        int version = in.getByte();
        if (version != VERSION) {
            throw new IllegalArgumentException("a message of version " + version + "; only 1 is known");
        }
        int kind = in.getByte();
        Head head = new Head(in.getLong(), Entries.readMember(in), in.getTerm());
        RaftMessage message =
                switch (kind) {
                    case APPEND -> readAppend(head, in);
                    case APPENDED -> readAppended(head, in);
                    case APPEND_FAILED -> readAppendFailed(head, in);
                    case SNAPSHOT -> readInstall(head, in);
                    case SNAPSHOT_WANTED -> readWanted(head, in);
                    case PRE_VOTE, VOTE, ELECT -> readElection(kind, head, in);
                    case PRE_VOTED -> readPreVoted(head, in);
                    case VOTED -> readVoted(head, in);
                    default -> throw new IllegalArgumentException("a message of kind " + kind);
                };
        in.requireEnd();
        return message;
    }

    /** What every message begins with. */
    private record Head(Long groupId, RaftEndpoint sender, int term) {}

    private static void writeAppend(AppendEntriesRequest append, FieldWriter out) {
        out.putInt(append.getPreviousLogTerm())
                .putLong(append.getPreviousLogIndex())
                .putLong(append.getCommitIndex())
                .putLong(append.getQuerySequenceNumber())
                .putLong(append.getFlowControlSequenceNumber());
        // As many as fit, at least one: the follower says what it has, and the leader goes on from there.
        FieldWriter entries = new FieldWriter();
        int count = 0;
        for (LogEntry entry : append.getLogEntries()) {
            FieldWriter next = new FieldWriter();
            Entries.write(entry, next);
            if (count > 0 && entries.sizeBytes() + next.sizeBytes() > RaftGroup.MAX_COMMAND_BYTES) {
                break;
            }
            Entries.write(entry, entries);
            count++;
        }
        out.putInt(count).putBytes(entries.toArray());
    }

    private static RaftMessage readAppend(Head head, FieldReader in) {
        var append = MODEL.createAppendEntriesRequestBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setPreviousLogTerm(in.getTerm())
                .setPreviousLogIndex(in.getIndex())
                .setCommitIndex(in.getIndex())
                .setQuerySequenceNumber(in.getIndex())
                .setFlowControlSequenceNumber(in.getIndex());
        int count = in.getCount(Entries.MIN_ENTRY_BYTES);
        FieldReader bytes = new FieldReader(in.getBytes());
        List<LogEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(Entries.read(bytes));
        }
        bytes.requireEnd();
        return append.setLogEntries(entries).build();
    }

    private static RaftMessage readAppended(Head head, FieldReader in) {
        return MODEL.createAppendEntriesSuccessResponseBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setLastLogIndex(in.getIndex())
                .setQuerySequenceNumber(in.getIndex())
                .setFlowControlSequenceNumber(in.getIndex())
                .build();
    }

    private static RaftMessage readAppendFailed(Head head, FieldReader in) {
        return MODEL.createAppendEntriesFailureResponseBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setExpectedNextIndex(in.getIndex())
                .setQuerySequenceNumber(in.getIndex())
                .setFlowControlSequenceNumber(in.getIndex())
                .build();
    }

    private static void writeInstall(InstallSnapshotRequest install, FieldWriter out) {
        out.putFlag(install.isSenderLeader())
                .putInt(install.getSnapshotTerm())
                .putLong(install.getSnapshotIndex())
                .putInt(install.getTotalSnapshotChunkCount());
        Entries.writeMembers(install.getSnapshottedMembers(), out);
        Entries.writeView(install.getGroupMembersView(), out);
        out.putLong(install.getQuerySequenceNumber()).putLong(install.getFlowControlSequenceNumber());
        SnapshotChunk chunk = install.getSnapshotChunk();
        out.putFlag(chunk != null);
        if (chunk != null) {
            out.putInt(chunk.getSnapshotChunkIndex()).putBytes((byte[]) chunk.getOperation());
        }
    }

    private static RaftMessage readInstall(Head head, FieldReader in) {
        boolean senderLeads = in.getFlag();
        int snapshotTerm = in.getTerm();
        long snapshotIndex = in.getIndex();
        int chunks = in.getTerm();
        List<RaftEndpoint> snapshotted = Entries.readMembers(in);
        RaftGroupMembersView members = Entries.readView(in);
        var install = MODEL.createInstallSnapshotRequestBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setSenderLeader(senderLeads)
                .setSnapshotTerm(snapshotTerm)
                .setSnapshotIndex(snapshotIndex)
                .setTotalSnapshotChunkCount(chunks)
                .setSnapshottedMembers(snapshotted)
                .setGroupMembersView(members)
                .setQuerySequenceNumber(in.getIndex())
                .setFlowControlSequenceNumber(in.getIndex());
        if (in.getFlag()) {
            install.setSnapshotChunk(MODEL.createSnapshotChunkBuilder()
                    .setIndex(snapshotIndex)
                    .setTerm(snapshotTerm)
                    .setSnapshotChunkIndex(in.getTerm())
                    .setSnapshotChunkCount(chunks)
                    .setOperation(in.getBytes())
                    .setGroupMembersView(members)
                    .build());
        }
        return install.build();
    }

    private static RaftMessage readWanted(Head head, FieldReader in) {
        return MODEL.createInstallSnapshotResponseBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setSnapshotIndex(in.getIndex())
                .setRequestedSnapshotChunkIndex(in.getTerm())
                .setQuerySequenceNumber(in.getIndex())
                .setFlowControlSequenceNumber(in.getIndex())
                .build();
    }

    private static RaftMessage readElection(int kind, Head head, FieldReader in) {
        int lastTerm = in.getTerm();
        long lastIndex = in.getIndex();
        return switch (kind) {
            case PRE_VOTE ->
                MODEL.createPreVoteRequestBuilder()
                        .setGroupId(head.groupId)
                        .setSender(head.sender)
                        .setTerm(head.term)
                        .setLastLogTerm(lastTerm)
                        .setLastLogIndex(lastIndex)
                        .build();
            case VOTE ->
                MODEL.createVoteRequestBuilder()
                        .setGroupId(head.groupId)
                        .setSender(head.sender)
                        .setTerm(head.term)
                        .setLastLogTerm(lastTerm)
                        .setLastLogIndex(lastIndex)
                        .setSticky(in.getFlag())
                        .build();
            default ->
                MODEL.createTriggerLeaderElectionRequestBuilder()
                        .setGroupId(head.groupId)
                        .setSender(head.sender)
                        .setTerm(head.term)
                        .setLastLogTerm(lastTerm)
                        .setLastLogIndex(lastIndex)
                        .build();
        };
    }

    private static RaftMessage readPreVoted(Head head, FieldReader in) {
        return MODEL.createPreVoteResponseBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setGranted(in.getFlag())
                .build();
    }

    private static RaftMessage readVoted(Head head, FieldReader in) {
        return MODEL.createVoteResponseBuilder()
                .setGroupId(head.groupId)
                .setSender(head.sender)
                .setTerm(head.term)
                .setGranted(in.getFlag())
                .build();
    }
}
