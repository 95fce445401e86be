package dev.granary.storage.data;

import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.HeldReplies;
import dev.granary.storage.replicate.HeldReply;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers gets: nothing is shown that backups do not have yet, and the lease is looked at after reading (SAFETY rule
 * "reads"). What was read stays in the reply's buffer until it may be shown. Thread-safe.
 */
final class GetRequests {

    private static final ErrorReply TOO_MUCH_UNSENT =
            ErrorReply.retryLater(20_000_000, "too many answers of this storage peer wait until clients take them");

    private final Replies replies;
    private final Parking parking;
    private final LoadSketch load;
    private final CreationsUnderWay creations;
    private final UnsentAnswers unsent;

    GetRequests(Replies replies, Parking parking, LoadSketch load, CreationsUnderWay creations, UnsentAnswers unsent) {
        this.replies = replies;
        this.parking = parking;
        this.load = load;
        this.creations = creations;
        this.unsent = unsent;
    }

    void get(RpcRequest request, ServedChunks chunks, Scratch scratch) {
        long startNanos = replies.now();
        ByteBuf in = request.payload();
        int start = in.readerIndex();
        if (in.readIntLE() != 0) {
            throw new FrameException("a get has no flags, but these are " + in.getIntLE(start));
        }
        int count = ChangeLayout.requireCount(in.readIntLE());
        if (in.readableBytes() != (long) count * Long.BYTES) {
            throw new FrameException(count + " CIDs in " + in.readableBytes() + " bytes");
        }
        if (unsent.areTooMany(startNanos)) {
            replies.refuse(request, Operation.GET, count, TOO_MUCH_UNSENT);
            return;
        }
        scratch.reserve(count);
        Segments.readLongs(in, scratch.cids, count);
        int stamp = parking.stamp();
        if (chunks.ownership().mustWait(scratch.cids, count, false, startNanos)) {
            in.readerIndex(start);
            parking.parkOrRefuse(request, Operation.GET, stamp, count);
            return;
        }
        ByteBuf out = request.startReply(GetReader.hintBytes(count));
        boolean written = false;
        try {
            int done = new GetReader(chunks, scratch, count, out).read();
            if (chunks.ownership().areReadTooLate(scratch.cids, done, replies::now)) {
                in.readerIndex(start);
                parking.parkOrRefuse(request, Operation.GET, stamp, count);
                return;
            }
            load.note(scratch.cids, count, scratch, chunks.zones());
            Replies.tellMoved(chunks, scratch, done, -ChunkStatus.WRONG_OWNER, out);
            written = true;
            show(request, chunks.zones(), scratch, done, out, startNanos);
        } finally {
            if (!written) {
                out.release();
            }
        }
    }

    private void show(RpcRequest request, OwnedZones zones, Scratch scratch, int done, ByteBuf out, long startNanos) {
        if (zones.isEmpty() || creations.haveEnded(scratch.turn)) {
            show(request, zones, new Read(scratch.cids, scratch.results, done, out, startNanos));
            return;
        }
        // A large create is under way, whose end no I/O thread waits for: what was read is kept beside.
        ErrorReply full = zones.held().refusal(out.capacity());
        if (full != null) {
            replies.readHeld(request, out, done, full);
            return;
        }
        Read read = new Read(
                Arrays.copyOf(scratch.cids, done), Arrays.copyOf(scratch.results, done), done, out, startNanos);
        HeldReply reply = heldReply(request, zones, read);
        HeldReplies.Pause pause = zones.held().pause(reply);
        reply.begun();
        creations.whenEnded(
                scratch.turn,
                () -> pause.end(held -> {
                    replies.countResults(done, read.results);
                    awaitHidden(zones, read, () -> held);
                }));
    }

    /** What was read for a request. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Read(long[] cids, int[] results, int done, ByteBuf out, long startNanos) {}

    private void show(RpcRequest request, OwnedZones zones, Read read) {
        HeldReply held = zones.isEmpty() ? null : hold(request, zones, read);
        if (held == null) {
            replies.read(request, read.out, read.done, read.results);
            replies.time(Operation.GET, read.startNanos);
        } else {
            replies.countResults(read.done, read.results);
            held.begun();
        }
    }

    /** Has the answer wait for what its chunks' backups do not have yet; null when there is nothing to wait for. */
    private @Nullable HeldReply hold(RpcRequest request, OwnedZones zones, Read read) {
        return awaitHidden(zones, read, () -> {
            ErrorReply full = zones.held().refusal(read.out.capacity());
            HeldReply held = heldReply(request, zones, read);
            if (full != null) {
                held.refuse(full);
            }
            return held;
        });
    }

    /**
     * Has an answer wait for what its chunks' backups do not have yet.
     *
     * @param reply asked for when there is something to wait for, once
     * @return it, or null
     */
    private static @Nullable HeldReply awaitHidden(OwnedZones zones, Read read, Supplier<HeldReply> reply) {
        OwnedZone.observeMarks();
        HeldReply held = null;
        OwnedZone zone = null;
        long sequence = 0;
        long syncSequence = 0;
        for (int i = 0; i < read.done; i++) {
            OwnedZone next = zones.find(read.cids[i]);
            long hidden = next == null ? 0 : next.hides(read.cids[i]);
            long unsynced = next == null ? 0 : next.hidesUntilSynced(read.cids[i]);
            if (hidden == 0 && unsynced == 0) {
                continue;
            }
            if (held == null) {
                StorageProbe.READ_HELD.hit();
                held = reply.get();
                if (held.isRefused()) {
                    return held;
                }
            }
            if (zone != next && zone != null) {
                await(zone, sequence, syncSequence, held);
                sequence = 0;
                syncSequence = 0;
            }
            zone = next;
            sequence = Math.max(sequence, hidden);
            syncSequence = Math.max(syncSequence, unsynced);
        }
        if (zone != null && held != null) {
            await(zone, sequence, syncSequence, held);
        }
        return held;
    }

    private static void await(OwnedZone zone, long sequence, long syncSequence, HeldReply held) {
        zone.await(sequence, false, held);
        zone.await(syncSequence, true, held);
    }

    private HeldReply heldReply(RpcRequest request, OwnedZones zones, Read read) {
        return zones.held().hold(request, read.out.capacity(), HeldReplies.READ_NANOS, refusal -> {
            replies.readHeld(request, read.out, read.done, refusal);
            replies.time(Operation.GET, read.startNanos);
        });
    }
}
