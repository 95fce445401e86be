/*
 * Copyright (c) 2026, the Granary authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.microraft.impl;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;

import javax.annotation.Nonnull;

import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RaftStore;

/**
 * A store whose first failure ends the node: what follows on a write that may
 * have been lost must not be written, and never be retried.
 */
final class GuardedRaftStore implements RaftStore {

    private interface Write {
        void run() throws IOException;
    }

    private final RaftStore store;
    private final RaftNodeImpl node;

    GuardedRaftStore(RaftStore store, RaftNodeImpl node) {
        this.store = requireNonNull(store);
        this.node = requireNonNull(node);
    }

    private void guarded(Write write) throws IOException {
        if (node.hasFailed()) {
            throw new IOException("this node has failed before");
        }
        try {
            write.run();
        } catch (Throwable t) {
            node.fail("the log failed", t);
            throw t;
        }
    }

    @Override
    public void persistAndFlushLocalEndpoint(@Nonnull RaftEndpointPersistentState localEndpoint) throws IOException {
        guarded(() -> store.persistAndFlushLocalEndpoint(localEndpoint));
    }

    @Override
    public void persistAndFlushInitialGroupMembers(@Nonnull RaftGroupMembersView initialGroupMembers)
            throws IOException {
        guarded(() -> store.persistAndFlushInitialGroupMembers(initialGroupMembers));
    }

    @Override
    public void persistAndFlushTerm(@Nonnull RaftTermPersistentState term) throws IOException {
        guarded(() -> store.persistAndFlushTerm(term));
    }

    @Override
    public void persistLogEntries(@Nonnull List<LogEntry> logEntries) throws IOException {
        guarded(() -> store.persistLogEntries(logEntries));
    }

    @Override
    public void persistSnapshotChunk(@Nonnull SnapshotChunk snapshotChunk) throws IOException {
        guarded(() -> store.persistSnapshotChunk(snapshotChunk));
    }

    @Override
    public void truncateLogEntriesFrom(long logIndexInclusive) throws IOException {
        guarded(() -> store.truncateLogEntriesFrom(logIndexInclusive));
    }

    @Override
    public void truncateLogEntriesUntil(long logIndexInclusive) throws IOException {
        guarded(() -> store.truncateLogEntriesUntil(logIndexInclusive));
    }

    @Override
    public void deleteSnapshotChunks(long logIndex, int snapshotChunkCount) throws IOException {
        guarded(() -> store.deleteSnapshotChunks(logIndex, snapshotChunkCount));
    }

    @Override
    public void flush() throws IOException {
        guarded(store::flush);
    }

}
