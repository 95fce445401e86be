package dev.granary.storage.data;

import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.replicate.HeldReply;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Answers gets: nothing is shown that backups do not have yet, and the lease is looked at after reading (SAFETY rule
 * "reads"). What was read stays in the reply's buffer until it may be shown. Thread-safe.
 */
final class GetRequests {

    private final Replies replies;
    private final Parking parking;
    private final LoadSketch load;
    private final CreationsUnderWay creations;

    GetRequests(Replies replies, Parking parking, LoadSketch load, CreationsUnderWay creations) {
        this.replies = replies;
        this.parking = parking;
        this.load = load;
        this.creations = creations;
    }

    void get(RpcRequest request, ServedChunks chunks, Scratch scratch) {
        long startNanos = replies.now();
        ByteBuf in = request.payload();
        int start = in.readerIndex();
        if (in.readIntLE() != 0) {
            throw new FrameException("a get has no flags yet");
        }
        int count = ChangeLayout.requireCount(in.readIntLE());
        if (in.readableBytes() != (long) count * Long.BYTES) {
            throw new FrameException(count + " CIDs in " + in.readableBytes() + " bytes");
        }
        scratch.reserve(count);
        Segments.readLongs(in, scratch.cids, count);
        int stamp = parking.stamp();
        if (chunks.ownership().mustWait(scratch.cids, count, false)) {
            in.readerIndex(start);
            parking.parkOrRefuse(request, Operation.GET, stamp, count);
            return;
        }
        ByteBuf out = request.startReply(GetReader.hintBytes(count));
        boolean written = false;
        try {
            int done = new GetReader(chunks, scratch, count, out).read();
            load.note(scratch.cids, count, scratch);
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
        HeldReply held = zones.isEmpty() ? null : hold(request, zones, scratch, done, out, startNanos);
        if (held == null) {
            replies.read(request, out, done, scratch.results);
            replies.time(Operation.GET, startNanos);
        } else {
            replies.countResults(done, scratch.results);
            held.begun();
        }
    }

    /** Has the answer wait for what its chunks' backups do not have yet; null when there is nothing to wait for. */
    private @Nullable HeldReply hold(
            RpcRequest request, OwnedZones zones, Scratch scratch, int done, ByteBuf out, long startNanos) {
        creations.awaitPresent(scratch.turn);
        OwnedZone.observeMarks();
        HeldReply held = null;
        OwnedZone zone = null;
        long sequence = 0;
        for (int i = 0; i < done; i++) {
            OwnedZone next = zones.find(scratch.cids[i]);
            long hidden = next == null ? 0 : next.hides(scratch.cids[i]);
            if (hidden == 0) {
                continue;
            }
            if (zone != next && zone != null && held != null) {
                zone.awaitShown(sequence, held);
                sequence = 0;
            }
            held = held != null ? held : heldReply(request, done, out, startNanos);
            zone = next;
            sequence = Math.max(sequence, hidden);
        }
        if (zone != null && held != null) {
            zone.awaitShown(sequence, held);
        }
        return held;
    }

    private HeldReply heldReply(RpcRequest request, int count, ByteBuf out, long startNanos) {
        return new HeldReply(refusal -> {
            replies.readHeld(request, out, count, refusal);
            replies.time(Operation.GET, startNanos);
        });
    }
}
