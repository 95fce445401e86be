package dev.granary.net.rpc;

import dev.granary.net.FrameException;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits for its reply; also the future that its caller holds. Everything but the future is guarded by its
 * link's lock.
 */
final class PendingCall<R> extends CompletableFuture<R> {

    final int type;
    final Function<ByteBuf, R> reader;
    final long timeoutNanos;
    final long deadlineNanos;
    long correlation;

    /** The request until it is sent. */
    @Nullable
    ByteBuf unsentFrame;

    PendingCall(int type, Function<ByteBuf, R> reader, long timeoutNanos, long deadlineNanos, ByteBuf frame) {
        this.type = type;
        this.reader = reader;
        this.timeoutNanos = timeoutNanos;
        this.deadlineNanos = deadlineNanos;
        this.unsentFrame = frame;
    }

    boolean isSent() {
        return unsentFrame == null;
    }

    String typeName() {
        return MessageType.nameOf(type);
    }

    /** Reads the reply and completes the call. An exception that the reader throws by itself becomes the result. */
    @SuppressWarnings("CatchingUnchecked") // a reader of the caller's: whatever it throws belongs to the caller
    void completeFrom(ByteBuf payload, Object remote) {
        R result;
        try {
            result = reader.apply(payload);
        } catch (FrameException | IndexOutOfBoundsException | IllegalArgumentException e) {
            completeExceptionally(new MalformedReplyException(
                    "the reply of " + remote + " to '" + typeName() + "' cannot be read: " + e.getMessage(), e));
            return;
        } catch (RuntimeException e) {
            completeExceptionally(e);
            return;
        }
        complete(result);
    }

    /** Fails the call, and drops the request if it was not sent. */
    void fail(RpcException failure) {
        ByteBuf frame = unsentFrame;
        if (frame != null) {
            unsentFrame = null;
            frame.release();
        }
        completeExceptionally(failure);
    }
}
