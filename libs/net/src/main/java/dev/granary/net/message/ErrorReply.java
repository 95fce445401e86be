package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The payload of an error reply.
 *
 * @param code what kind of error
 * @param retryAfterNanos when to try again, for codes that allow it; otherwise 0
 * @param ringEpoch of the ring as the answering node knows it, 0 when it knows none
 * @param redirect the right node for {@link ErrorCode#REDIRECT}, otherwise null
 * @param message for people: what is wrong and what to do
 */
public record ErrorReply(
        ErrorCode code,
        long retryAfterNanos,
        long ringEpoch,
        @Nullable HostAddress redirect,
        String message) implements Message {

    /** Returns an error that has only a code and a message. */
    public static ErrorReply of(ErrorCode code, String message) {
        return new ErrorReply(code, 0, 0, null, message);
    }

    /** Asks the caller to come again after a while. */
    public static ErrorReply retryLater(long afterNanos, String message) {
        return new ErrorReply(ErrorCode.RETRY_LATER, afterNanos, 0, null, message);
    }

    /** Names the node that is responsible. */
    public static ErrorReply redirect(HostAddress to, long ringEpoch, String message) {
        return new ErrorReply(ErrorCode.REDIRECT, 0, ringEpoch, to, message);
    }

    /**
     * Returns whether the same request may succeed later or elsewhere. A request with an unknown outcome may if the
     * reply says when to ask again: the node that is then responsible knows the outcome, by the request id.
     */
    public boolean isRetryable() {
        return code.isRetryable() || (code == ErrorCode.UNKNOWN_OUTCOME && retryAfterNanos > 0);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(code.code()).writeLongLE(retryAfterNanos).writeLongLE(ringEpoch);
        Wire.writeOptionalAddress(out, redirect);
        Wire.writeString(out, message);
    }

    /**
     * Reads the payload of an error reply.
     *
     * @throws FrameException when it is malformed
     */
    public static ErrorReply read(ByteBuf in) {
        try {
            return new ErrorReply(
                    ErrorCode.of(in.readUnsignedShortLE()),
                    in.readLongLE(),
                    in.readLongLE(),
                    Wire.readOptionalAddress(in),
                    Wire.readString(in));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new FrameException("an error reply is malformed: " + e.getMessage(), e);
        }
    }
}
