package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.rpc.Lane;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Puts or deletes one chunk with retries around one request, as a get does. It takes the request id when the first
 * owner is known, and keeps it over all attempts and owners. Attempts run one after the other.
 */
final class OneChange {

    /** Larger chunks go over the shared connection, whose buffers come from a pool. */
    private static final int MOST_LANE_BYTES = 32 << 10;

    private final BatchContext context;
    private final long cid;
    private final @Nullable ChunkSource source;
    private final long token;

    private volatile @Nullable ChangeRequest request;

    private OneChange(BatchContext context, long cid, @Nullable ChunkSource source, long token) {
        this.context = context;
        this.cid = cid;
        this.source = source;
        this.token = token;
    }

    /**
     * Puts or deletes one chunk. The future fails according to the outcome if that is not {@link ChunkOutcome#OK}.
     *
     * @param source the new content; null to delete
     * @param token the token of the lock through which the chunk is changed, 0 for none
     */
    static CompletableFuture<Void> run(
            BatchContext context, long cid, @Nullable ChunkSource source, long token, long deadlineNanos) {
        return new OneChange(context, cid, source, token)
                .resume(context.retry().clock().nanoTime(), deadlineNanos, null);
    }

    /**
     * Puts or deletes one chunk and waits. The first attempt is made by the calling thread, if it gets a lane; its
     * request id is that of the attempts that follow.
     *
     * @param source the new content; null to delete
     */
    static void runHere(BatchContext context, long cid, @Nullable ChunkSource source) {
        long startNanos = context.retry().clock().nanoTime();
        OneChange change = new OneChange(context, cid, source, 0);
        Owner owner = source != null && source.sizeBytes(0) > MOST_LANE_BYTES
                ? null
                : context.directory().cachedOwner(cid);
        Lane lane = owner == null ? null : LaneChunks.take(context, owner, startNanos);
        Throwable failure = null;
        if (lane != null && owner != null) {
            try {
                change.attempt(lane, owner);
                change.end();
                return;
            } catch (RuntimeException e) {
                failure = e;
            } catch (OutOfMemoryError e) {
                // As for any other connection that has no room for the request.
                failure = new Retry.AgainException("no memory for " + change.what());
            } finally {
                lane.release();
            }
        }
        long deadlineNanos = startNanos + context.options().deadline().toNanos();
        LaneChunks.await(context, lane == null ? owner : null, change.resume(startNanos, deadlineNanos, failure));
    }

    private CompletableFuture<Void> resume(long startNanos, long deadlineNanos, @Nullable Throwable failed) {
        return Retry.resume(
                        context.retry(),
                        this::what,
                        startNanos,
                        deadlineNanos,
                        context.directory().newsOf(cid),
                        failed,
                        this::attempt)
                .whenComplete((_, _) -> end());
    }

    private String what() {
        return (source == null ? "a delete of chunk " : "a put of chunk ") + Cid.toHex(cid);
    }

    private int type() {
        return source == null ? MessageType.DELETE : MessageType.PUT;
    }

    private void attempt(Lane lane, Owner owner) {
        writeRequest(owner, lane.request(type()));
        int status;
        try {
            status = read(lane, lane.exchange());
        } catch (RpcException e) {
            context.directory().suspect(cid);
            throw e;
        }
        take(status);
    }

    private int read(Lane lane, ByteBuf in) {
        try {
            return readReply(in);
        } catch (FrameException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw lane.malformed(e);
        }
    }

    private CompletableFuture<Void> attempt(long timeoutNanos) {
        return context.callOwner(cid, type(), this::writeRequest, this::readReply, timeoutNanos)
                .thenAccept(this::take);
    }

    private void writeRequest(Owner owner, ByteBuf out) {
        ChangeRequest id = request;
        if (id == null) {
            id = new ChangeRequest(context.session(owner.nid()), 1);
            request = id;
        }
        int flags = context.durabilityFlags() | (token == 0 ? 0 : ChunkLayouts.FLAG_TOKENS);
        MutationHeader.write(out, id.sessionId(), id.sequence(), id.acked(), flags, 1);
        out.writeLongLE(cid);
        if (source != null) {
            out.writeIntLE(source.sizeBytes(0));
        }
        if (token != 0) {
            out.writeLongLE(token);
        }
        if (source != null) {
            source.write(0, out);
        }
    }

    private int readReply(ByteBuf in) {
        int count = in.readIntLE();
        if (count != 1) {
            throw new FrameException("a change of one chunk was answered for " + count);
        }
        int status = in.readUnsignedByte();
        if (status == ChunkStatus.WRONG_OWNER) {
            context.directory().suspect(cid);
        }
        context.directory().learnMoved(MovedRanges.read(in));
        return status;
    }

    private void take(int status) {
        if (status == ChunkStatus.WRONG_OWNER) {
            throw new Retry.AgainException("chunk " + Cid.toHex(cid) + " has another owner now");
        }
        ChunkOutcome outcome = Outcomes.of(status);
        if (outcome != ChunkOutcome.OK) {
            throw Outcomes.failure(outcome, cid);
        }
    }

    /** Ends the request: it is not sent again, whether it had its answer or not. */
    private void end() {
        ChangeRequest id = request;
        if (id != null) {
            id.answered(1);
        }
    }
}
