package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The payload of an error reply. Its layout is the same in every version, since it is what answers a hello of another
 * one.
 *
 * @param number the code of an {@link ErrorCode}, or one that only later versions know
 * @param retryAfterNanos when to try again, for codes that allow it; otherwise 0
 * @param ringEpoch of the ring as the answering node knows it, 0 when it knows none
 * @param redirectHost of the right node for {@link ErrorCode#REDIRECT}, otherwise empty
 * @param redirectPort its port, otherwise 0
 * @param message for people: what is wrong and what to do
 */
public record ErrorReply(
        @U16 int number,
        long retryAfterNanos,
        long ringEpoch,
        String redirectHost,
        @U16 int redirectPort,
        String message)
        implements Message {

    /** Refuses a redirect to what is no host. */
    public ErrorReply {
        addressOf(redirectHost, redirectPort);
    }

    /** @param redirect the right node for {@link ErrorCode#REDIRECT}, otherwise null */
    public ErrorReply(
            ErrorCode code, long retryAfterNanos, long ringEpoch, @Nullable HostAddress redirect, String message) {
        this(
                code.code(),
                retryAfterNanos,
                ringEpoch,
                redirect == null ? "" : redirect.host(),
                redirect == null ? 0 : redirect.port(),
                message);
    }

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

    /** What kind of error it is. */
    public ErrorCode code() {
        return ErrorCode.of(number);
    }

    /** Returns the right node for {@link ErrorCode#REDIRECT}, otherwise null. */
    public @Nullable HostAddress redirect() {
        return addressOf(redirectHost, redirectPort);
    }

    private static @Nullable HostAddress addressOf(String host, int port) {
        return host.isEmpty() ? null : new HostAddress(host, port);
    }

    /**
     * Returns whether the same request may succeed later or elsewhere. A request with an unknown outcome may if the
     * reply says when to ask again: the node that is then responsible knows the outcome, by the request id.
     */
    public boolean isRetryable() {
        return code().isRetryable() || (code() == ErrorCode.UNKNOWN_OUTCOME && retryAfterNanos > 0);
    }

    /**
     * Reads the payload of an error reply.
     *
     * @throws FrameException when it is malformed
     */
    public static ErrorReply read(ByteBuf in) {
        try {
            return RecordBytes.read(ErrorReply.class, in);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new FrameException("an error reply is malformed: " + e.getMessage(), e);
        }
    }
}
