package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MutationHeader;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ZoneBatch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Carries out one request's creates, puts, deletes or fences in chunk memory, straight from the network buffer, and
 * adds the changes to the zone's batch. The status of each chunk goes into the results of the scratch. Used by one
 * thread, which holds the lock of the zone.
 */
final class ChunkChanges {

    /** A batch that has grown to this size is ended, so that a batch always fits into a request to a backup. */
    private static final int MAX_BATCH_BYTES = 2 << 20;

    /**
     * The bytes of a batch without its entries. The constants below are the bytes of an entry without its content, and
     * of its part of the completion record.
     */
    private static final int BATCH_BYTES = 100;

    private static final int CHUNK_BYTES = 12;
    private static final int TOKEN_BYTES = 12;
    private static final int COMPLETION_BYTES = 4;

    private final ServedChunks chunks;
    private final Scratch scratch;
    private final @Nullable MemorySegment payloads;
    private final boolean tokens;
    private final boolean sync;

    /**
     * Prepares the changes of one request.
     *
     * @param payloads the new contents; null for deletes, fences and creates of zeros
     * @param tokens whether each chunk comes with the token of a lock
     * @param sync whether backups must sync the changes
     */
    ChunkChanges(ServedChunks chunks, Scratch scratch, @Nullable MemorySegment payloads, boolean tokens, boolean sync) {
        this.chunks = chunks;
        this.scratch = scratch;
        this.payloads = payloads;
        this.tokens = tokens;
        this.sync = sync;
    }

    /**
     * Changes the chunks of a group, except for those that are done.
     *
     * @param header the header of the request, null for a fence, which has no completion record
     * @return the sequence of its last batch, 0 when nothing is logged
     * @throws ZoneBatch.NoRoomException when there is no room for the batch; nothing has changed
     */
    long change(Operation operation, @Nullable MutationHeader header, int group) {
        OwnedZone zone = scratch.groups.zone(group);
        if (zone == null) {
            scratch.batch.startUnlogged();
            applyAll(operation, null, group);
            return 0;
        }
        zone.lock();
        try {
            if (zone.isEnded()) {
                refuseAll(group);
                return 0;
            }
            scratch.batch.start(zone);
            scratch.batch.reserve(expectedBytes(operation, group));
            if (operation == Operation.FENCE) {
                return fence(zone, group);
            }
            mark(zone, group, scratch.groups.start(group));
            long sequence;
            try {
                applyAll(operation, zone, group);
                logCompletion(header, group, scratch.groups.end(group));
            } finally {
                zone.stamp(chunks.zones().nextStamp());
                sequence = scratch.batch.append(zone, sync);
            }
            return sequence;
        } finally {
            zone.unlock();
        }
    }

    /**
     * Shows tokens. This hides no chunk, because contents stay as they are. A fence without a token logs nothing, and
     * waits until backups have synced the chunk: a name that survives a loss of power must not stand for a chunk that
     * does not (rule 17).
     */
    private long fence(OwnedZone zone, int group) {
        boolean applied = false;
        try {
            applyAll(Operation.FENCE, zone, group);
            applied = true;
        } finally {
            if (!applied && !scratch.batch.isEmpty()) {
                scratch.batch.append(zone, sync);
            }
        }
        return scratch.batch.isEmpty() ? zone.wantSynced() : scratch.batch.append(zone, sync);
    }

    /** Adds to the batch that the request is complete for the chunks of a group up to a place, exclusive. */
    private void logCompletion(@Nullable MutationHeader header, int group, int endPlace) {
        if (header != null
                && scratch.batch.isLogged()
                && scratch.completion.set(scratch.groups, group, endPlace, scratch.cids, scratch.results)) {
            scratch.batch.request(
                    header.clientId(),
                    header.sequence(),
                    header.ackedSequence(),
                    scratch.completion.bytes(),
                    scratch.completion.sizeBytes());
        }
    }

    /** Returns about how many bytes the batches of all logged groups take, with the completion records. */
    long expectedBytes(Operation operation) {
        long sizeBytes = 0;
        for (int group = 0; group < scratch.groups.groups(); group++) {
            OwnedZone zone = scratch.groups.zone(group);
            if (zone != null && zone.isLogged()) {
                int start = scratch.groups.start(group);
                int end = scratch.groups.end(group);
                int chunkBytes = CHUNK_BYTES + COMPLETION_BYTES + (tokens ? TOKEN_BYTES : 0);
                sizeBytes += BATCH_BYTES + (long) chunkBytes * (end - start);
                for (int place = start; operation == Operation.PUT && place < end; place++) {
                    sizeBytes += scratch.sizes[scratch.groups.at(place)];
                }
            }
        }
        return sizeBytes;
    }

    /** Returns about how many bytes the batches of new chunks take. */
    static long expectedBytesOfCreate(Scratch scratch, int count) {
        return BATCH_BYTES + (long) (CHUNK_BYTES + COMPLETION_BYTES) * count + scratch.sumOfSizes(count);
    }

    /**
     * Returns about how many bytes the first batch of a group takes; a larger batch gets its room when it is complete.
     */
    private long expectedBytes(Operation operation, int group) {
        int start = scratch.groups.start(group);
        int end = scratch.groups.end(group);
        long sizeBytes = BATCH_BYTES + (long) (tokens ? CHUNK_BYTES + TOKEN_BYTES : CHUNK_BYTES) * (end - start);
        for (int place = start; operation == Operation.PUT && place < end && sizeBytes < MAX_BATCH_BYTES; place++) {
            sizeBytes += scratch.sizes[scratch.groups.at(place)];
        }
        return sizeBytes;
    }

    /**
     * Makes room for the first batch of a request's new chunks.
     *
     * @throws ZoneBatch.NoRoomException when there is none
     */
    void reserveForCreates(int count) {
        long sizeBytes = BATCH_BYTES + (long) CHUNK_BYTES * count;
        for (int i = 0; i < count && sizeBytes < MAX_BATCH_BYTES; i++) {
            sizeBytes += scratch.sizes[i];
        }
        scratch.batch.reserveLater(sizeBytes);
    }

    /** Sets the status of all chunks of a group to {@link ChunkStatus#WRONG_OWNER}. */
    void refuseAll(int group) {
        for (int place = scratch.groups.start(group); place < scratch.groups.end(group); place++) {
            scratch.results[scratch.groups.at(place)] = ChunkStatus.WRONG_OWNER;
        }
    }

    private void mark(OwnedZone zone, int group, int fromPlace) {
        if (scratch.batch.isLogged()) {
            for (int place = fromPlace; place < scratch.groups.end(group); place++) {
                zone.mark(scratch.cids[scratch.groups.at(place)], sync);
            }
            OwnedZone.publishMarks();
        }
    }

    private void applyAll(Operation operation, @Nullable OwnedZone zone, int group) {
        if (operation == Operation.DELETE && !tokens && scratch.groups.groups() == 1) {
            deleteAll(scratch.groups.end(group));
            return;
        }
        int start = scratch.groups.start(group);
        int end = scratch.groups.end(group);
        boolean many = scratch.batch.isLogged() && end - start > 1;
        if (many) {
            scratch.groups.beginSeen(end - start);
        }
        for (int place = start; place < end; place++) {
            int index = scratch.groups.at(place);
            int done = scratch.results[index];
            long cid = scratch.cids[index];
            int status = done == Completion.UNDONE ? chunks.statusOf(cid) : done;
            if (done == Completion.UNDONE && status == ChunkStatus.OK) {
                if (many && zone != null && mustEndBatch(cid, operation == Operation.PUT ? scratch.sizes[index] : 0)) {
                    scratch.batch.append(zone, sync);
                    scratch.batch.start(zone);
                    scratch.groups.beginSeen(end - place);
                    scratch.groups.isRepeated(cid);
                    if (operation != Operation.FENCE) {
                        mark(zone, group, place);
                    }
                }
                status = apply(operation, index);
            }
            scratch.results[index] = status;
        }
    }

    /** Deletes all chunks of the request, many at a time. */
    private void deleteAll(int count) {
        int next = 0;
        while (next < count) {
            int done = scratch.results[next];
            int status = done == Completion.UNDONE ? chunks.statusOf(scratch.cids[next]) : done;
            if (done != Completion.UNDONE || status != ChunkStatus.OK) {
                scratch.results[next++] = status;
                continue;
            }
            int end = endOfRun(next, count);
            Arrays.fill(scratch.deleted, next, end, false);
            try {
                chunks.memory().delete(scratch.cids, next, end, scratch.deleted);
            } finally {
                // Also when the delete ends half-way: deleted chunks must not come back.
                logDeleted(next, end);
            }
            next = end;
        }
    }

    private void logDeleted(int from, int to) {
        for (int i = from; i < to; i++) {
            scratch.results[i] = scratch.deleted[i] ? ChunkStatus.OK : ChunkStatus.NOT_FOUND;
            if (scratch.deleted[i]) {
                scratch.batch.tombstone(scratch.cids[i]);
            }
        }
    }

    /** Returns the end of the run of chunks, from an index on, that are to be deleted and may be there. */
    private int endOfRun(int from, int to) {
        int end = from;
        while (end < to
                && scratch.results[end] == Completion.UNDONE
                && chunks.statusOf(scratch.cids[end]) == ChunkStatus.OK) {
            end++;
        }
        return end;
    }

    private boolean mustEndBatch(long cid, int sizeBytes) {
        return scratch.groups.isRepeated(cid) || isBatchFull(sizeBytes);
    }

    /**
     * Whether a chunk of this size must start a new batch. A single chunk may be larger than a batch should be, so an
     * empty batch takes a chunk of any size.
     */
    private boolean isBatchFull(int sizeBytes) {
        return !scratch.batch.isEmpty() && scratch.batch.sizeBytes() + (long) sizeBytes > MAX_BATCH_BYTES;
    }

    private int apply(Operation operation, int index) {
        long cid = scratch.cids[index];
        long token = tokens ? scratch.tokens[index] : 0;
        if (token == 0) {
            return applyOne(operation, cid, index);
        }
        int status = chunks.tokens().change(cid, token, () -> applyOne(operation, cid, index));
        if (status == ChunkStatus.OK) {
            scratch.batch.token(cid, token);
        }
        return status;
    }

    private int applyOne(Operation operation, long cid, int index) {
        return switch (operation) {
            case PUT -> replace(cid, index);
            case DELETE -> delete(cid);
            case FENCE -> chunks.memory().sizeOf(cid) == ChunkMemory.ABSENT ? ChunkStatus.NOT_FOUND : ChunkStatus.OK;
            case CREATE, GET -> throw new IllegalArgumentException(operation + " is none of the changes of chunks");
        };
    }

    private int replace(long cid, int index) {
        MemorySegment source = present(payloads);
        long offset = scratch.offsets[index];
        int sizeBytes = scratch.sizes[index];
        try {
            if (!chunks.memory().replace(cid, source, offset, sizeBytes)) {
                return ChunkStatus.NOT_FOUND;
            }
        } catch (OutOfChunkMemoryException e) {
            // To be asked again is all that a client knows of a wrong owner, and all that it needs to do.
            return e.isPassing() ? ChunkStatus.WRONG_OWNER : ChunkStatus.OUT_OF_MEMORY;
        }
        scratch.batch.chunk(cid, source, offset, sizeBytes);
        return ChunkStatus.OK;
    }

    private int delete(long cid) {
        if (!chunks.memory().delete(cid)) {
            return ChunkStatus.NOT_FOUND;
        }
        scratch.batch.tombstone(cid);
        return ChunkStatus.OK;
    }

    private static MemorySegment present(@Nullable MemorySegment payloads) {
        if (payloads == null) {
            throw new IllegalArgumentException("a put without payloads");
        }
        return payloads;
    }

    /**
     * Creates all chunks of a request, or none; their CIDs go into the scratch. They are not logged yet.
     *
     * @throws dev.granary.memory.ChunkMemoryException when there is no room or no LID; nothing has changed
     */
    void create(int count) {
        ChunkMemory memory = chunks.memory();
        if (count == 1) {
            int sizeBytes = scratch.sizes[0];
            scratch.cids[0] = payloads == null ? memory.create(sizeBytes) : memory.create(payloads, 0, sizeBytes);
        } else {
            memory.create(count, scratch.sizes, payloads, 0, scratch.cids);
        }
        assert areBelow(memory.lidMark(), count) : "a new copy of the zone would be filled without these chunks";
    }

    private boolean areBelow(long lidMark, int count) {
        return Arrays.stream(scratch.cids, 0, count).allMatch(cid -> Cid.lid(cid) < lidMark);
    }

    /**
     * Logs the new chunks of a group, and with each batch that this request has made them and those in the batches
     * before: any of them may be the last that survives.
     *
     * @param stampBefore of the zones from before the chunks were created
     * @return the sequence of its last batch, 0 when nothing is logged
     */
    long logCreated(MutationHeader header, int group, long stampBefore) {
        OwnedZone zone = scratch.groups.zone(group);
        if (zone == null) {
            return 0;
        }
        zone.lock();
        try {
            if (zone.isEnded()) {
                return 0;
            }
            scratch.batch.start(zone);
            mark(zone, group, scratch.groups.start(group));
            // One with a reused LID may have been changed by somebody who still has the old CID.
            boolean asSent = zone.lastStamp() <= stampBefore;
            for (int place = scratch.groups.start(group); place < scratch.groups.end(group); place++) {
                if (isBatchFull(scratch.sizes[scratch.groups.at(place)])) {
                    logCompletion(header, group, place);
                    scratch.batch.append(zone, sync);
                    scratch.batch.start(zone);
                    mark(zone, group, place);
                }
                int index = scratch.groups.at(place);
                if (asSent && payloads != null) {
                    scratch.batch.chunk(scratch.cids[index], payloads, scratch.offsets[index], scratch.sizes[index]);
                } else if (asSent) {
                    scratch.batch.zeros(scratch.cids[index], scratch.sizes[index]);
                } else {
                    logPresent(scratch.cids[index]);
                }
            }
            logCompletion(header, group, scratch.groups.end(group));
            return scratch.batch.append(zone, sync);
        } finally {
            zone.unlock();
        }
    }

    private void logPresent(long cid) {
        int sizeBytes = chunks.memory().sizeOf(cid);
        if (sizeBytes != ChunkMemory.ABSENT) {
            MemorySegment content = MemorySegment.ofArray(new byte[sizeBytes]);
            // Only this zone's lock lets anybody change it.
            chunks.memory().get(cid, content, 0, sizeBytes);
            scratch.batch.chunk(cid, content, 0, sizeBytes);
        }
    }
}
