package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Puts or deletes one chunk with retries around one request, as a get does. It takes the request id when the first
 * owner is known, and keeps it over all attempts and owners. Attempts run one after the other.
 */
final class OneChange {

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
        OneChange change = new OneChange(context, cid, source, token);
        return Retry.run(
                        context.retry(),
                        change::what,
                        deadlineNanos,
                        context.directory().newsOf(cid),
                        change::attempt)
                .whenComplete((_, _) -> change.end());
    }

    private String what() {
        return (source == null ? "a delete of chunk " : "a put of chunk ") + Cid.toHex(cid);
    }

    private CompletableFuture<Void> attempt(long timeoutNanos) {
        return context.callOwner(
                        cid,
                        source == null ? MessageType.DELETE : MessageType.PUT,
                        this::writeRequest,
                        this::readReply,
                        timeoutNanos)
                .thenAccept(this::take);
    }

    private void writeRequest(Owner owner, ByteBuf out) {
        ChangeRequest id = request;
        if (id == null) {
            id = new ChangeRequest(context.session(owner.nid()), 1);
            request = id;
        }
        int flags = context.durabilityFlags() | (token == 0 ? 0 : ChunkLayouts.FLAG_TOKENS);
        new MutationHeader(id.sessionId(), id.sequence(), id.acked(), flags, 1).writeTo(out);
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
