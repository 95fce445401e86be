package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MutationHeader;
import dev.granary.storage.replicate.OwnedZone;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Carries out one request's creates, puts, deletes or fences in chunk memory, straight from the network buffer, and adds to
 * the zone's batch what has changed. The states go into the results of the scratch. One thread; the lock of the zone is held
 * by the caller.
 */
final class ChunkChanges {

    /** A batch that has grown so large is ended, so that one of them always fits into a request to a backup. */
    private static final int MAX_BATCH_BYTES = 2 << 20;

    private final ServedChunks chunks;
    private final Scratch scratch;
    private final @Nullable MemorySegment payloads;
    private final boolean tokens;
    private final boolean sync;

    /**
     * @param payloads what is put or created; null for deletes, fences and creates of zeros
     * @param tokens whether each chunk comes with the token of a lock
     * @param sync whether backups must sync it
     */
    ChunkChanges(ServedChunks chunks, Scratch scratch, @Nullable MemorySegment payloads, boolean tokens, boolean sync) {
        this.chunks = chunks;
        this.scratch = scratch;
        this.payloads = payloads;
        this.tokens = tokens;
        this.sync = sync;
    }

    /**
     * Changes the chunks of a group, but for those that are done.
     *
     * @param header of the request, null for a fence, of which nothing is remembered
     * @return the sequence of its last batch, 0 when nothing is logged
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

    private void refuseAll(int group) {
        for (int place = scratch.groups.start(group); place < scratch.groups.end(group); place++) {
            scratch.results[scratch.groups.at(place)] = ChunkStatus.WRONG_OWNER;
        }
    }

    private void mark(OwnedZone zone, int group, int fromPlace) {
        if (scratch.batch.isLogged()) {
            for (int place = fromPlace; place < scratch.groups.end(group); place++) {
                zone.mark(scratch.cids[scratch.groups.at(place)]);
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
                if (many && zone != null && mustEndBatch(cid)) {
                    scratch.batch.append(zone, sync);
                    scratch.batch.start(zone);
                    scratch.groups.beginSeen(end - place);
                    scratch.groups.isRepeated(cid);
                    mark(zone, group, place);
                }
                status = apply(operation, index);
            }
            scratch.results[index] = status;
        }
    }

    /** All chunks of the request, many at a time. */
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
            chunks.memory().delete(scratch.cids, next, end, scratch.deleted);
            for (; next < end; next++) {
                scratch.results[next] = scratch.deleted[next] ? ChunkStatus.OK : ChunkStatus.NOT_FOUND;
                if (scratch.deleted[next]) {
                    scratch.batch.tombstone(scratch.cids[next]);
                }
            }
        }
    }

    /** The end of the chunks from an index on that are to be deleted and may be there. */
    private int endOfRun(int from, int to) {
        int end = from;
        while (end < to
                && scratch.results[end] == Completion.UNDONE
                && chunks.statusOf(scratch.cids[end]) == ChunkStatus.OK) {
            end++;
        }
        return end;
    }

    private boolean mustEndBatch(long cid) {
        return scratch.groups.isRepeated(cid) || scratch.batch.sizeBytes() > MAX_BATCH_BYTES;
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
            return ChunkStatus.OUT_OF_MEMORY;
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
    }

    /**
     * Logs the new chunks of a group, and with each batch that this request has made them and those in the batches before: any
     * of them may be the last that survives.
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
                if (scratch.batch.sizeBytes() > MAX_BATCH_BYTES) {
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
