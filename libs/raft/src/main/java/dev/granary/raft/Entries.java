package dev.granary.raft;

import io.microraft.MembershipChangeMode;
import io.microraft.RaftEndpoint;
import io.microraft.model.groupop.UpdateRaftGroupMembersOp;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Entries of the log and lists of members, as they stand in messages and on the disk.
 *
 * <pre>
 *   entry       index 8, term 4, kind 1, then by kind
 *     1 begin of a term   nothing
 *     2 command           length 4, bytes
 *     3 members           mode 1 (1 learner, 2 voter, 3 removed), whom 8, member list, voter list
 *   member list count 4, then 8 bytes for each
 *   members     log index 8, member list, voter list
 * </pre>
 */
final class Entries {

    /** The first entry that a leader puts into the log. */
    enum TermBegin {
        INSTANCE
    }

    static final int MIN_ENTRY_BYTES = 13;

    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();
    private static final int KIND_TERM_BEGIN = 1;
    private static final int KIND_COMMAND = 2;
    private static final int KIND_MEMBERS = 3;
    private static final int MODE_LEARNER = 1;
    private static final int MODE_VOTER = 2;
    private static final int MODE_REMOVED = 3;

    private Entries() {}

    static void write(LogEntry entry, FieldWriter out) {
        out.putLong(entry.getIndex()).putInt(entry.getTerm());
        switch (entry.getOperation()) {
            case TermBegin begin -> out.putByte(KIND_TERM_BEGIN);
            case byte[] command -> out.putByte(KIND_COMMAND).putBytes(command);
            case UpdateRaftGroupMembersOp change -> {
                out.putByte(KIND_MEMBERS).putByte(modeNumber(change.getMode()));
                writeMember(change.getEndpoint(), out);
                writeMembers(change.getMembers(), out);
                writeMembers(change.getVotingMembers(), out);
            }
            default ->
                throw new IllegalStateException(
                        "an operation of " + entry.getOperation().getClass());
        }
    }

    static LogEntry read(FieldReader in) {
        long index = in.getIndex();
        int term = in.getTerm();
        int kind = in.getByte();
        Object operation =
                switch (kind) {
                    case KIND_TERM_BEGIN -> TermBegin.INSTANCE;
                    case KIND_COMMAND -> in.getBytes();
                    case KIND_MEMBERS -> readChange(in);
                    default -> throw new IllegalArgumentException("an entry of kind " + kind);
                };
        return MODEL.createLogEntryBuilder()
                .setIndex(index)
                .setTerm(term)
                .setOperation(operation)
                .build();
    }

    private static Object readChange(FieldReader in) {
        MembershipChangeMode mode = modeOf(in.getByte());
        RaftEndpoint whom = readMember(in);
        return MODEL.createUpdateRaftGroupMembersOpBuilder()
                .setMode(mode)
                .setEndpoint(whom)
                .setMembers(readMembers(in))
                .setVotingMembers(readMembers(in))
                .build();
    }

    private static int modeNumber(MembershipChangeMode mode) {
        return switch (mode) {
            case ADD_LEARNER -> MODE_LEARNER;
            case ADD_OR_PROMOTE_TO_FOLLOWER -> MODE_VOTER;
            case REMOVE_MEMBER -> MODE_REMOVED;
        };
    }

    private static MembershipChangeMode modeOf(int number) {
        return switch (number) {
            case MODE_LEARNER -> MembershipChangeMode.ADD_LEARNER;
            case MODE_VOTER -> MembershipChangeMode.ADD_OR_PROMOTE_TO_FOLLOWER;
            case MODE_REMOVED -> MembershipChangeMode.REMOVE_MEMBER;
            default -> throw new IllegalArgumentException("a change of members of kind " + number);
        };
    }

    static void writeMember(RaftEndpoint endpoint, FieldWriter out) {
        out.putLong(Endpoint.memberOf(endpoint).value());
    }

    static RaftEndpoint readMember(FieldReader in) {
        return new Endpoint(new MemberId(in.getLong()));
    }

    static void writeMembers(Collection<RaftEndpoint> members, FieldWriter out) {
        out.putInt(members.size());
        members.forEach(member -> writeMember(member, out));
    }

    static List<RaftEndpoint> readMembers(FieldReader in) {
        int count = in.getCount(Long.BYTES);
        List<RaftEndpoint> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(readMember(in));
        }
        return members;
    }

    static void writeView(RaftGroupMembersView view, FieldWriter out) {
        out.putLong(view.getLogIndex());
        writeMembers(view.getMembers(), out);
        writeMembers(view.getVotingMembers(), out);
    }

    static RaftGroupMembersView readView(FieldReader in) {
        return MODEL.createRaftGroupMembersViewBuilder()
                .setLogIndex(in.getIndex())
                .setMembers(readMembers(in))
                .setVotingMembers(readMembers(in))
                .build();
    }
}
