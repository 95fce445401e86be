package dev.granary.raft;

import dev.granary.env.Disk;
import dev.granary.log.CommandLog;
import dev.granary.log.RecordLog;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RaftStore;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;

/**
 * Keeps what a member must not forget in a checksummed log on its disk (format: docs/formats/raft.md). A snapshot
 * replaces the log by one file that appears as a whole, so that no crash leaves half of one.
 *
 * <p>After a failure the library no longer calls anything here: the group on this member ends (SAFETY rule 18).
 */
final class RaftDisk implements RaftStore, AutoCloseable {

    private final RecordLog log;
    private final StoredState state;
    private final TreeMap<Integer, SnapshotChunk> pendingChunks = new TreeMap<>();
    private boolean unsynced;

    /** As of the last sync, for other threads. */
    private volatile long logBytes;

    private RaftDisk(RecordLog log, StoredState state) {
        this.log = log;
        this.state = state;
        this.logBytes = log.bytesSinceSnapshot();
    }

    /**
     * Opens the log of a member; makes it when there is none.
     *
     * @throws IOException when the disk fails, or the log is damaged or belongs to another group or member
     */
    static RaftDisk open(Disk disk, RaftConfig config) throws IOException {
        RecordLog log = RecordLog.open(disk, config.logName());
        try {
            StoredState state = new StoredState();
            replay(log, state);
            byte[] group = StoredState.groupRecord(config.groupId(), config.self());
            if (state.isEmpty()) {
                log.appendAndSync(group);
                state.apply(group);
            } else if (!state.isOf(group)) {
                throw new IOException("log '" + config.logName() + "' is not that of member " + config.self()
                        + " of group " + config.groupId());
            }
            return new RaftDisk(log, state);
        } catch (IOException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private static void replay(RecordLog log, StoredState state) throws IOException {
        try {
            log.replay(new CommandLog.Replay() {
                @Override
                public void snapshot(long lastSequence, byte[] bytes) {
                    state.decode(bytes);
                }

                @Override
                public void command(long sequence, byte[] command) {
                    state.apply(command);
                }
            });
        } catch (IllegalArgumentException e) {
            throw new IOException(log + " holds what this version does not understand: " + e.getMessage(), e);
        }
    }

    /** What was found at the opening, and what was written since. */
    StoredState state() {
        return state;
    }

    /** How many bytes the log has beside the last snapshot, as of the last sync. */
    long logBytes() {
        return logBytes;
    }

    @Override
    public void persistAndFlushLocalEndpoint(RaftEndpointPersistentState local) throws IOException {
        appendAndSync(StoredState.memberRecord(local.getLocalEndpoint(), local.isVoting()));
    }

    @Override
    public void persistAndFlushInitialGroupMembers(RaftGroupMembersView founders) throws IOException {
        appendAndSync(StoredState.foundersRecord(founders));
    }

    @Override
    public void persistAndFlushTerm(RaftTermPersistentState term) throws IOException {
        appendAndSync(StoredState.termRecord(term.getTerm(), term.getVotedFor()));
    }

    private void appendAndSync(byte[] record) throws IOException {
        if (!state.holds(record)) {
            append(record);
            sync();
        }
    }

    private void append(byte[] record) throws IOException {
        log.append(record);
        unsynced = true;
        state.apply(record);
    }

    private void sync() throws IOException {
        log.sync();
        unsynced = false;
        logBytes = log.bytesSinceSnapshot();
    }

    @Override
    public void persistLogEntries(List<LogEntry> logEntries) throws IOException {
        for (LogEntry entry : logEntries) {
            log.append(StoredState.entryRecord(entry));
            unsynced = true;
            state.append(entry);
        }
    }

    @Override
    public void truncateLogEntriesFrom(long logIndexInclusive) throws IOException {
        append(StoredState.cutRecord(logIndexInclusive));
    }

    @Override
    public void persistSnapshotChunk(SnapshotChunk chunk) {
        if (!pendingChunks.isEmpty() && pendingChunks.firstEntry().getValue().getIndex() != chunk.getIndex()) {
            pendingChunks.clear();
        }
        pendingChunks.put(chunk.getSnapshotChunkIndex(), chunk);
    }

    @Override
    public void deleteSnapshotChunks(long logIndex, int snapshotChunkCount) {
        pendingChunks.clear();
    }

    /** Nothing to do: a snapshot takes the place of what it covers at once. */
    @Override
    public void truncateLogEntriesUntil(long logIndexInclusive) {}

    /** Keeps the pieces of an incomplete snapshot in memory: after a crash the member fetches the snapshot again. */
    @Override
    public void flush() throws IOException {
        boolean complete = !pendingChunks.isEmpty()
                && pendingChunks.size() == pendingChunks.firstEntry().getValue().getSnapshotChunkCount();
        if (complete) {
            state.install(pendingChunks.values());
            pendingChunks.clear();
            log.snapshot(state.encode());
            unsynced = false;
            logBytes = log.bytesSinceSnapshot();
        } else if (unsynced) {
            sync();
        }
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
