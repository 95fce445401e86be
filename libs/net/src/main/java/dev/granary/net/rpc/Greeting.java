package dev.granary.net.rpc;

import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of the hello, which comes first on each connection and on each pipe. Links and lanes send and check
 * it here, so that it is the same for both. Immutable.
 *
 * @param identity who calls
 * @param expectedNid the node that must answer, 0 for any
 */
record Greeting(RpcIdentity identity, int expectedNid) {

    /** A size in which a hello fits, header included. */
    static final int HINT_BYTES = Frame.HEADER_BYTES + 64;

    private static final long CORRELATION = 0;

    /** Appends the hello, with length and checksum of its frame left open. */
    void writeTo(ByteBuf frame) {
        Frame.start(frame, Frame.KIND_REQUEST, MessageType.HELLO.code(), CORRELATION);
        identity.hello(expectedNid).writeTo(frame);
    }

    /**
     * Reads the answer.
     *
     * @param frame a frame that {@link Frame#check} has passed
     * @return why one side refuses the other, null when neither does
     * @throws FrameException when it is no answer to a hello
     */
    @Nullable
    ErrorReply refusalIn(ByteBuf frame) {
        if (Frame.kind(frame) == Frame.KIND_REQUEST
                || Frame.type(frame) != MessageType.HELLO.code()
                || Frame.correlation(frame) != CORRELATION) {
            throw new FrameException("the first reply does not answer the hello");
        }
        ByteBuf payload =
                frame.slice(frame.readerIndex() + Frame.HEADER_BYTES, frame.readableBytes() - Frame.HEADER_BYTES);
        if (Frame.kind(frame) == Frame.KIND_ERROR) {
            return errorIn(payload);
        }
        HelloReply answer = MessageType.HELLO.readReply(payload);
        return identity.refusalOf(answer, expectedNid);
    }

    /** Reads the payload of an error reply; one that is malformed becomes an unknown error. */
    static ErrorReply errorIn(ByteBuf payload) {
        try {
            return ErrorReply.read(payload);
        } catch (FrameException e) {
            return ErrorReply.of(ErrorCode.UNKNOWN, String.valueOf(e.getMessage()));
        }
    }
}
