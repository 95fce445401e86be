package dev.granary.microraft;

import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RaftStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Writes down what is to be persisted, and fails on request. */
final class RecordingStore implements RaftStore {

    private final List<String> writes = new ArrayList<>();
    private boolean fails;

    List<String> writes() {
        return writes;
    }

    void setFails(boolean nowFails) {
        fails = nowFails;
    }

    private void write(String what) throws IOException {
        if (fails) {
            throw new IOException("no space for " + what);
        }
        writes.add(what);
    }

    @Override
    public void persistAndFlushLocalEndpoint(RaftEndpointPersistentState local) throws IOException {
        write("member");
    }

    @Override
    public void persistAndFlushInitialGroupMembers(RaftGroupMembersView founders) throws IOException {
        write("founders");
    }

    @Override
    public void persistAndFlushTerm(RaftTermPersistentState term) throws IOException {
        write("term " + term.getTerm());
    }

    @Override
    public void persistLogEntries(List<LogEntry> entries) throws IOException {
        for (LogEntry entry : entries) {
            write("entry " + entry.getIndex());
        }
    }

    @Override
    public void persistSnapshotChunk(SnapshotChunk chunk) throws IOException {
        write("chunk " + chunk.getIndex());
    }

    @Override
    public void truncateLogEntriesFrom(long index) throws IOException {
        write("cut from " + index);
    }

    @Override
    public void truncateLogEntriesUntil(long index) throws IOException {
        write("cut until " + index);
    }

    @Override
    public void deleteSnapshotChunks(long index, int count) throws IOException {
        write("no chunks " + index);
    }

    @Override
    public void flush() throws IOException {
        write("flush");
    }
}
