package dev.granary.storage.data;

import dev.granary.memory.ChunkMemoryException;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.storage.lease.LidSupply;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.ReplicationMetrics;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries out requests that change chunks: each at most once (SAFETY rule "retries"), zone by zone. A request is
 * answered when the backups hold its changes as its durability level asks (SAFETY rule "acknowledgement"). Thread-safe.
 */
final class ChangeRequests {

    private static final long NO_LIDS_RETRY_NANOS = 5_000_000;
    private static final long RUNNING_RETRY_NANOS = 1_000_000;
    private static final long COMPACTING_RETRY_NANOS = 20_000_000;
    private static final long FULL_RETRY_NANOS = 1_000_000_000;

    /** Said before anything is changed. */
    private static final ErrorReply NO_ROOM = ErrorReply.retryLater(
            20_000_000, "this storage peer has no memory at the moment for the batch that goes to its backups");

    private final Replies replies;
    private final LidSupply lids;
    private final ChangeAnswers answers;
    private final Parking parking;
    private final CompletedRequests completed;
    private final LoadSketch load;
    private final ReplicationMetrics replicationMetrics;
    private final Durability defaultDurability;
    private volatile boolean draining;

    ChangeRequests(
            Replies replies,
            LidSupply lids,
            Parking parking,
            CompletedRequests completed,
            LoadSketch load,
            ReplicationMetrics replicationMetrics,
            Durability defaultDurability) {
        this.replies = replies;
        this.answers = new ChangeAnswers(replies);
        this.lids = lids;
        this.parking = parking;
        this.completed = completed;
        this.load = load;
        this.replicationMetrics = replicationMetrics;
        this.defaultDurability = defaultDurability;
    }

    void setDraining(boolean value) {
        draining = value;
    }

    boolean isDraining() {
        return draining;
    }

    /**
     * Shows lock tokens to their chunks. A repeated request may be carried out again, because it shows the same tokens.
     * The backups sync the tokens before the answer, whatever the durability level of changes is. The lock itself
     * survives a loss of power, and so must the tokens that keep its earlier holders out (ADR 0131).
     */
    void fence(RpcRequest request, ServedChunks chunks, Scratch scratch) {
        long startNanos = replies.now();
        ByteBuf in = request.payload();
        int start = in.readerIndex();
        if (in.readIntLE() != 0) {
            throw new FrameException("a fence has no flags yet");
        }
        int count = ChangeLayout.requireCount(in.readIntLE());
        if (in.readableBytes() != 2L * count * Long.BYTES) {
            throw new FrameException(count + " CIDs and tokens in " + in.readableBytes() + " bytes");
        }
        scratch.reserve(count);
        Segments.readLongs(in, scratch.cids, count);
        ChangeLayout.readTokens(in, scratch, count);
        int stamp = parking.stamp();
        if (chunks.ownership().mustWait(scratch.cids, count, true, startNanos)) {
            in.readerIndex(start);
            parking.parkOrRefuse(request, Operation.FENCE, stamp, count);
            return;
        }
        ErrorReply refusal = group(chunks.zones(), scratch, count);
        if (refusal != null) {
            refuse(request, Operation.FENCE, count, refusal);
            return;
        }
        try {
            fence(request, chunks, scratch, count, startNanos);
        } finally {
            scratch.room.giveBack();
        }
    }

    private void fence(RpcRequest request, ServedChunks chunks, Scratch scratch, int count, long startNanos) {
        Arrays.fill(scratch.results, 0, count, Completion.UNDONE);
        ChunkChanges changes = new ChunkChanges(chunks, scratch, null, true, true);
        ErrorReply refusal = admit(changes, Operation.FENCE, chunks.zones(), scratch, count);
        try {
            refusal = refusal == null ? changeAll(changes, Operation.FENCE, null, scratch) : refusal;
        } finally {
            scratch.batch.release();
        }
        if (refusal != null) {
            refuse(request, Operation.FENCE, count, refusal);
            return;
        }
        replies.countStatuses(Operation.FENCE, count, scratch.results);
        ByteBuf out = request.startReply(ChangeLayout.replyBytes(Operation.FENCE, count));
        writeStatuses(scratch, count, out);
        answers.answer(chunks.zones(), request, Operation.FENCE, scratch, Durability.SYNCED, out, startNanos);
    }

    private static @Nullable ErrorReply admit(
            ChunkChanges changes, Operation operation, OwnedZones zones, Scratch scratch, int count) {
        return scratch.room.take(zones, changes.expectedBytes(operation), ChangeLayout.replyBytes(operation, count));
    }

    void change(RpcRequest request, Operation operation, ServedChunks chunks, Scratch scratch) {
        long startNanos = replies.now();
        ByteBuf in = request.payload();
        int start = in.readerIndex();
        MutationHeader header = ChangeLayout.readHeader(in);
        long epoch = ChangeLayout.readEpoch(operation, header, in, chunks.epoch());
        ChangeLayout.read(operation, header, in, scratch);
        int count = header.count();
        boolean create = operation == Operation.CREATE;
        if (epoch != chunks.epoch()) {
            StorageProbe.CREATE_FOR_A_FORMER_INCARNATION.hit();
            replies.refuse(
                    request,
                    operation,
                    count,
                    ErrorReply.of(
                            ErrorCode.INCARNATION_ENDED,
                            "the create is for epoch " + epoch + " of this storage peer, which has epoch "
                                    + chunks.epoch()));
            return;
        }
        int stamp = parking.stamp();
        if (create
                ? chunks.ownership().mustCreatesWait()
                : chunks.ownership().mustWait(scratch.cids, count, true, startNanos)) {
            in.readerIndex(start);
            parking.parkOrRefuse(request, operation, stamp, count);
            return;
        }
        Admission admission = completed.begin(
                header.clientId(),
                header.sequence(),
                header.ackedSequence(),
                scratch.cids,
                create ? 0 : count,
                scratch.results);
        switch (admission.kind()) {
            case NEW -> {
                try {
                    carryOut(request, operation, chunks, header, scratch, startNanos);
                } finally {
                    scratch.room.giveBack();
                }
            }
            case REPEAT -> repeat(request, operation, chunks, header, scratch, admission, startNanos);
            case RUNNING ->
                replies.refuse(
                        request,
                        operation,
                        count,
                        ErrorReply.retryLater(
                                RUNNING_RETRY_NANOS,
                                "request " + header.sequence() + " of client 0x" + Long.toHexString(header.clientId())
                                        + " is still being carried out"));
            case FORGOTTEN ->
                replies.refuse(
                        request,
                        operation,
                        count,
                        ErrorReply.of(
                                ErrorCode.UNKNOWN_OUTCOME,
                                "the request may have been carried out before, its answer is not known any more"));
            case FULL ->
                replies.refuse(
                        request,
                        operation,
                        count,
                        ErrorReply.retryLater(
                                FULL_RETRY_NANOS, "the answers of too many clients are kept for retries"));
        }
    }

    private Durability durability(MutationHeader header) {
        return Durability.of(header.flags(), defaultDurability);
    }

    /** Groups the chunks by zone. Returns why one of the zones takes no changes at present, or null. */
    private static @Nullable ErrorReply group(OwnedZones zones, Scratch scratch, int count) {
        scratch.groups.group(zones, scratch.cids, count);
        scratch.reserveGroups();
        for (int group = 0; group < scratch.groups.groups(); group++) {
            scratch.sequences[group] = 0;
            OwnedZone zone = scratch.groups.zone(group);
            ErrorReply refusal = zone == null ? null : zone.refusal();
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    private void refuse(RpcRequest request, Operation operation, int count, ErrorReply refusal) {
        replicationMetrics.refused();
        replies.refuse(request, operation, count, refusal);
    }

    /** Carries out a request that was admitted as new, and notes its outcome in the table in any case. */
    private void carryOut(
            RpcRequest request,
            Operation operation,
            ServedChunks chunks,
            MutationHeader header,
            Scratch scratch,
            long startNanos) {
        ByteBuf out = startReply(request, operation, header);
        ErrorReply refusal = out == null ? NO_ROOM : null;
        boolean known = false;
        try {
            if (out != null) {
                refusal = operation == Operation.CREATE
                        ? create(request.payload(), chunks, header, scratch)
                        : changeKnown(request.payload(), operation, chunks, header, scratch);
            }
            known = true;
        } finally {
            scratch.batch.release();
            chunks.ownership().noteChanged(scratch.cids, header.count());
            if (!known) {
                completed.lose(header.clientId(), header.sequence());
                sendAll(scratch);
            }
            if (out != null && (!known || refusal != null)) {
                out.release();
            }
        }
        if (refusal != null || out == null) {
            completed.abandon(header.clientId(), header.sequence());
            refuse(request, operation, header.count(), refusal == null ? NO_ROOM : refusal);
            return;
        }
        writeReply(operation, chunks, header, scratch, out);
        replies.countStatuses(operation, header.count(), scratch.results);
        load.note(scratch.cids, header.count(), scratch, chunks.zones());
        answers.answer(chunks.zones(), request, operation, scratch, durability(header), out, startNanos);
    }

    /** Sends the changes of a request to the backups, also when the request ended half-way. */
    private static void sendAll(Scratch scratch) {
        for (int group = 0; group < scratch.groups.groups(); group++) {
            OwnedZone zone = scratch.groups.zone(group);
            if (zone != null) {
                zone.send();
            }
        }
    }

    /** Makes room for the answer before anything is changed. Returns null when there is none. */
    private static @Nullable ByteBuf startReply(RpcRequest request, Operation operation, MutationHeader header) {
        try {
            return request.startReply(ChangeLayout.replyBytes(operation, header.count()));
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    private @Nullable ErrorReply changeKnown(
            ByteBuf in, Operation operation, ServedChunks chunks, MutationHeader header, Scratch scratch) {
        ErrorReply refusal = group(chunks.zones(), scratch, header.count());
        if (refusal != null) {
            return refusal;
        }
        MemorySegment payloads = null;
        if (operation == Operation.PUT) {
            payloads = Segments.of(in, in.readerIndex(), in.readableBytes());
            scratch.findOffsets(header.count());
        }
        boolean sync = durability(header) == Durability.SYNCED;
        ChunkChanges changes = new ChunkChanges(chunks, scratch, payloads, ChangeLayout.hasTokens(header), sync);
        refusal = admit(changes, operation, chunks.zones(), scratch, header.count());
        return refusal == null ? changeAll(changes, operation, header, scratch) : refusal;
    }

    /**
     * Changes the chunks of all groups. If there is no room for a group, its chunks get the status of chunks that
     * another peer owns, so that the client asks for them again.
     *
     * @return why nothing at all was changed, or null
     */
    private static @Nullable ErrorReply changeAll(
            ChunkChanges changes, Operation operation, @Nullable MutationHeader header, Scratch scratch) {
        boolean changed = false;
        for (int group = 0; group < scratch.groups.groups(); group++) {
            try {
                scratch.sequences[group] = changes.change(operation, header, group);
                changed = true;
            } catch (ZoneBatch.NoRoomException e) {
                if (!changed) {
                    return NO_ROOM;
                }
                changes.refuseAll(group);
            }
        }
        return null;
    }

    /** Creates the chunks, or changes nothing and returns why. */
    private @Nullable ErrorReply create(ByteBuf in, ServedChunks chunks, MutationHeader header, Scratch scratch) {
        if (draining) {
            StorageProbe.CREATE_WHILE_DRAINING.hit();
            return ErrorReply.of(
                    ErrorCode.DRAINING, "this storage peer takes no new chunks: all it has is going to others");
        }
        OwnedZone next = chunks.zones()
                .find(Cid.of(chunks.memory().nid(), chunks.memory().lidMark()));
        ErrorReply refusal = next == null ? null : next.refusal();
        int count = header.count();
        if (refusal == null) {
            boolean logged = next != null && next.isLogged();
            refusal = scratch.room.take(
                    chunks.zones(),
                    logged ? ChunkChanges.expectedBytesOfCreate(scratch, count) : 0,
                    ChangeLayout.replyBytes(Operation.CREATE, count));
        }
        if (refusal != null) {
            return refusal;
        }
        MemorySegment payloads =
                ChangeLayout.isZeroed(header) ? null : Segments.of(in, in.readerIndex(), in.readableBytes());
        scratch.findOffsets(count);
        ChunkChanges changes =
                new ChunkChanges(chunks, scratch, payloads, false, durability(header) == Durability.SYNCED);
        long stampBefore = chunks.zones().stamp();
        scratch.turn.begin();
        try {
            if (next != null && next.isLogged()) {
                changes.reserveForCreates(count);
            }
            changes.create(count);
            Arrays.fill(scratch.results, 0, count, ChunkStatus.OK);
            scratch.groups.group(chunks.zones(), scratch.cids, count);
            scratch.reserveGroups();
            for (int group = 0; group < scratch.groups.groups(); group++) {
                scratch.sequences[group] = changes.logCreated(header, group, stampBefore);
            }
        } catch (ZoneBatch.NoRoomException e) {
            return NO_ROOM;
        } catch (LidsExhaustedException e) {
            StorageProbe.LIDS_EXHAUSTED.hit();
            lids.exhausted(count);
            String usedUp = lids.usedUp();
            return usedUp == null
                    ? ErrorReply.retryLater(
                            NO_LIDS_RETRY_NANOS, count + " LIDs are wanted, and more are being reserved")
                    : ErrorReply.of(ErrorCode.OUT_OF_MEMORY, usedUp);
        } catch (OutOfChunkMemoryException e) {
            return e.isPassing()
                    ? ErrorReply.retryLater(COMPACTING_RETRY_NANOS, String.valueOf(e.getMessage()))
                    : ErrorReply.of(ErrorCode.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
        } catch (ChunkMemoryException e) {
            return ErrorReply.of(ErrorCode.INTERNAL, String.valueOf(e.getMessage()));
        } finally {
            scratch.turn.end();
        }
        lids.created(chunks.memory().lidMark());
        return null;
    }

    /** Writes the answer, and keeps the completion record for a retry. */
    private void writeReply(
            Operation operation, ServedChunks chunks, MutationHeader header, Scratch scratch, ByteBuf out) {
        int count = header.count();
        Completion completion;
        if (operation == Operation.CREATE) {
            out.writeIntLE(count);
            Segments.writeLongs(out, scratch.cids, count);
            completion = Completion.ofCreate(scratch.cids, count);
        } else {
            writeStatuses(scratch, count, out);
            completion = Completion.ofChange(scratch.cids, scratch.results, count);
        }
        if (completion == null) {
            completed.abandon(header.clientId(), header.sequence());
        } else {
            completed.complete(header.clientId(), header.sequence(), completion);
        }
        if (operation != Operation.CREATE) {
            // This may need more room than there is. Everything that must be kept is kept by now.
            Replies.tellMoved(chunks, scratch, count, ChunkStatus.WRONG_OWNER, out);
        }
    }

    private static void writeStatuses(Scratch scratch, int count, ByteBuf out) {
        out.writeIntLE(count);
        for (int i = 0; i < count; i++) {
            out.writeByte(scratch.results[i]);
        }
    }

    /** Repeats the answer, once the backups hold everything that they may not have held when the first one was lost. */
    private void repeat(
            RpcRequest request,
            Operation operation,
            ServedChunks chunks,
            MutationHeader header,
            Scratch scratch,
            Admission admission,
            long startNanos) {
        Completion known = Objects.requireNonNull(admission.known());
        ByteBuf out = request.startReply(ChangeLayout.replyBytes(operation, header.count()));
        if (operation == Operation.CREATE) {
            if (known.cids().length != header.count()) {
                out.release();
                replies.refuse(
                        request,
                        operation,
                        header.count(),
                        ErrorReply.of(
                                ErrorCode.BAD_REQUEST,
                                "a create of " + known.cids().length + " chunks had this request id"));
                return;
            }
            System.arraycopy(known.cids(), 0, scratch.cids, 0, header.count());
            out.writeIntLE(header.count());
            Segments.writeLongs(out, scratch.cids, header.count());
        } else {
            writeStatuses(scratch, header.count(), out);
        }
        if (durability(header) == Durability.ASYNC) {
            replies.changed(request, operation, out, null);
            return;
        }
        scratch.groups.group(chunks.zones(), scratch.cids, header.count());
        ErrorReply obstacle = answers.answerOnceHeld(chunks.zones(), request, operation, scratch, out, startNanos);
        if (obstacle != null) {
            out.release();
            refuse(request, operation, header.count(), obstacle);
        }
    }
}
