package dev.granary.raft;

import io.microraft.RaftEndpoint;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.log.SnapshotEntry;
import io.microraft.persistence.RestoredRaftState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a member's disk holds, as it stands in the records of a {@code RecordLog} and, compacted, in its snapshot.
 *
 * <pre>
 *   record     kind 1, then by kind
 *     1 group      version 1 (1), group id 8, member 8          the first one of all
 *     2 member     member 8, voting 1
 *     3 founders   members
 *     4 term       term 4, voted 1, for whom 8 if voted
 *     5 entry      entry                                        replaces nothing, follows the last one
 *     6 cut        index 8                                      entries from there on are gone
 *   snapshot   record 1, length 4 before it; then flag 1 and record for each of 2, 3, 4;
 *              flag 1, and if set: term 4, index 8, members, chunk count 4, chunks with length 4 each;
 *              entry count 4, entries
 * </pre>
 *
 * Invariants: entries have no gap; the first one follows the snapshot, or is 1.
 */
final class StoredState {

    static final int GROUP = 1;
    static final int MEMBER = 2;
    static final int FOUNDERS = 3;
    static final int TERM = 4;
    static final int ENTRY = 5;
    static final int CUT = 6;

    private static final int VERSION = 1;
    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();

    private final TreeMap<Long, LogEntry> entries = new TreeMap<>();
    private byte @Nullable [] group;
    private byte @Nullable [] member;
    private byte @Nullable [] founders;
    private byte @Nullable [] term;
    private List<SnapshotChunk> snapshot = List.of();

    static byte[] groupRecord(long groupId, MemberId self) {
        return new FieldWriter()
                .putByte(GROUP)
                .putByte(VERSION)
                .putLong(groupId)
                .putLong(self.value())
                .toArray();
    }

    static byte[] memberRecord(RaftEndpoint self, boolean voting) {
        FieldWriter out = new FieldWriter().putByte(MEMBER);
        Entries.writeMember(self, out);
        return out.putFlag(voting).toArray();
    }

    static byte[] foundersRecord(RaftGroupMembersView view) {
        FieldWriter out = new FieldWriter().putByte(FOUNDERS);
        Entries.writeView(view, out);
        return out.toArray();
    }

    static byte[] termRecord(int term, @Nullable RaftEndpoint votedFor) {
        FieldWriter out = new FieldWriter().putByte(TERM).putInt(term).putFlag(votedFor != null);
        if (votedFor != null) {
            Entries.writeMember(votedFor, out);
        }
        return out.toArray();
    }

    static byte[] entryRecord(LogEntry entry) {
        FieldWriter out = new FieldWriter().putByte(ENTRY);
        Entries.write(entry, out);
        return out.toArray();
    }

    static byte[] cutRecord(long fromIndex) {
        return new FieldWriter().putByte(CUT).putLong(fromIndex).toArray();
    }

    /** Whether the disk holds the beginning of a group. */
    boolean isEmpty() {
        return group == null;
    }

    boolean isOf(byte[] groupRecord) {
        return Arrays.equals(group, groupRecord);
    }

    /** Returns whether an equal record of its kind is stored, so that it need not be written again. */
    boolean holds(byte[] record) {
        byte[] present =
                switch (record[0]) {
                    case MEMBER -> member;
                    case FOUNDERS -> founders;
                    default -> null;
                };
        return Arrays.equals(present, record);
    }

    /**
     * Takes a record.
     *
     * @throws IllegalArgumentException when this version does not know it, or it does not follow what is there
     */
    void apply(byte[] record) {
        FieldReader in = new FieldReader(record);
        int kind = in.getByte();
        switch (kind) {
            case GROUP -> {
                requireVersion(in);
                group = record;
            }
            case MEMBER -> member = record;
            case FOUNDERS -> founders = record;
            case TERM -> term = record;
            case ENTRY -> append(Entries.read(in));
            case CUT -> cut(in.getIndex());
            default -> throw new IllegalArgumentException("a record of kind " + kind);
        }
    }

    void append(LogEntry entry) {
        long expected = lastIndex() + 1;
        if (entry.getIndex() != expected) {
            throw new IllegalArgumentException(
                    "entry " + entry.getIndex() + " stands where " + expected + " is expected");
        }
        entries.put(entry.getIndex(), entry);
    }

    void cut(long fromIndex) {
        entries.tailMap(fromIndex, true).clear();
    }

    /** Installs a snapshot of which all pieces are there: it takes the place of the entries that it covers. */
    void install(Collection<SnapshotChunk> chunks) {
        snapshot = List.copyOf(chunks);
        entries.headMap(snapshot.getFirst().getIndex(), true).clear();
    }

    private long snapshotIndex() {
        return snapshot.isEmpty() ? 0 : snapshot.getFirst().getIndex();
    }

    private long lastIndex() {
        return entries.isEmpty() ? snapshotIndex() : entries.lastKey();
    }

    byte[] encode() {
        if (group == null) {
            throw new IllegalStateException("nothing to keep");
        }
        FieldWriter out = new FieldWriter().putBytes(group);
        writeOptional(member, out);
        writeOptional(founders, out);
        writeOptional(term, out);
        out.putFlag(!snapshot.isEmpty());
        if (!snapshot.isEmpty()) {
            SnapshotChunk first = snapshot.getFirst();
            out.putInt(first.getTerm()).putLong(first.getIndex());
            Entries.writeView(first.getGroupMembersView(), out);
            out.putInt(snapshot.size());
            snapshot.forEach(chunk -> out.putBytes((byte[]) chunk.getOperation()));
        }
        out.putInt(entries.size());
        entries.values().forEach(entry -> Entries.write(entry, out));
        return out.toArray();
    }

    /**
     * Reads what {@link #encode} wrote and replaces everything that is here by it.
     *
     * @throws IllegalArgumentException when this version cannot read the bytes
     */
    void decode(byte[] bytes) {
        FieldReader in = new FieldReader(bytes);
        apply(in.getBytes());
        member = readOptional(in);
        founders = readOptional(in);
        term = readOptional(in);
        if (in.getFlag()) {
            snapshot = readSnapshot(in);
        }
        int count = in.getCount(Entries.MIN_ENTRY_BYTES);
        for (int i = 0; i < count; i++) {
            append(Entries.read(in));
        }
        in.requireEnd();
    }

    private static List<SnapshotChunk> readSnapshot(FieldReader in) {
        int snapshotTerm = in.getTerm();
        long index = in.getIndex();
        RaftGroupMembersView members = Entries.readView(in);
        int count = in.getCount(Integer.BYTES);
        List<SnapshotChunk> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(MODEL.createSnapshotChunkBuilder()
                    .setTerm(snapshotTerm)
                    .setIndex(index)
                    .setSnapshotChunkIndex(i)
                    .setSnapshotChunkCount(count)
                    .setOperation(in.getBytes())
                    .setGroupMembersView(members)
                    .build());
        }
        return chunks;
    }

    /** The founders, null when the disk does not know any. */
    @Nullable
    RaftGroupMembersView founders() {
        if (founders == null) {
            return null;
        }
        FieldReader in = new FieldReader(founders);
        in.getByte();
        return Entries.readView(in);
    }

    /** What the library starts from, or null when this member has promised nothing to anybody yet. */
    @Nullable
    RestoredRaftState restored() {
        RaftGroupMembersView view = founders();
        if (member == null || view == null || term == null) {
            return null;
        }
        FieldReader self = new FieldReader(member);
        self.getByte();
        FieldReader vote = new FieldReader(term);
        vote.getByte();
        var termState = MODEL.createRaftTermPersistentStateBuilder().setTerm(vote.getTerm());
        if (vote.getFlag()) {
            termState.setVotedFor(Entries.readMember(vote));
        }
        var endpoint = MODEL.createRaftEndpointPersistentStateBuilder()
                .setLocalEndpoint(Entries.readMember(self))
                .setVoting(self.getFlag());
        return new RestoredRaftState(
                endpoint.build(), view, termState.build(), snapshotEntry(), new ArrayList<>(entries.values()));
    }

    private @Nullable SnapshotEntry snapshotEntry() {
        if (snapshot.isEmpty()) {
            return null;
        }
        SnapshotChunk first = snapshot.getFirst();
        return MODEL.createSnapshotEntryBuilder()
                .setTerm(first.getTerm())
                .setIndex(first.getIndex())
                .setSnapshotChunks(snapshot)
                .setGroupMembersView(first.getGroupMembersView())
                .build();
    }

    private static void requireVersion(FieldReader in) {
        int version = in.getByte();
        if (version != VERSION) {
            throw new IllegalArgumentException("a log of version " + version + "; only 1 is known");
        }
    }

    private static void writeOptional(byte @Nullable [] record, FieldWriter out) {
        out.putFlag(record != null);
        if (record != null) {
            out.putBytes(record);
        }
    }

    private static byte @Nullable [] readOptional(FieldReader in) {
        return in.getFlag() ? in.getBytes() : null;
    }
}
