package dev.granary.net.rpc;

import dev.granary.net.Connection;
import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One request that waits for its answer. Any thread answers it, exactly once; a second answer throws {@link
 * IllegalStateException}. An answer to a connection that is gone is dropped.
 */
public final class RpcRequest {

    private static final int CONTROL_REPLY_HINT_BYTES = 256;
    private static final VarHandle ANSWERED;

    static {
        try {
            ANSWERED = MethodHandles.lookup().findVarHandle(RpcRequest.class, "answered", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Connection connection;
    private final Hello caller;
    private final ByteBuf payload;
    private final int type;
    private final long correlation;

    @SuppressWarnings("UnusedVariable") // through ANSWERED
    private boolean answered;

    /** Takes over the frame's bytes for the time of the handler's call; its reader index is moved to the payload. */
    RpcRequest(Connection connection, Hello caller, ByteBuf frame) {
        this.connection = connection;
        this.caller = caller;
        this.type = Frame.type(frame);
        this.correlation = Frame.correlation(frame);
        this.payload = frame.skipBytes(Frame.HEADER_BYTES);
    }

    /** Returns the code of the request's {@link MessageType}. */
    public int type() {
        return type;
    }

    /** Returns the unread payload; valid during {@link RequestHandler#handle} unless it is retained. */
    public ByteBuf payload() {
        return payload;
    }

    /**
     * Reads a control message. The record may be used after {@link RequestHandler#handle}.
     *
     * @throws FrameException when the payload is not such a message
     */
    public <Q extends Message, R extends Message> Q read(MessageType<Q, R> messageType) {
        return messageType.readRequest(payload);
    }

    /** Returns what the caller said about itself when it connected. */
    public Hello caller() {
        return caller;
    }

    /** Returns where the request comes from, for messages to people. */
    public HostAddress remoteAddress() {
        return connection.remoteAddress();
    }

    /** Returns whether the caller takes its replies as fast as they come. */
    public boolean isCallerKeepingUp() {
        return connection.isWritable();
    }

    /** Returns whether the caller's connection is still there; otherwise nobody takes an answer. */
    public boolean isCallerThere() {
        return connection.isOpen();
    }

    /**
     * Returns a buffer with the header of the reply. The caller appends the payload, and then passes the buffer to
     * {@link #reply(ByteBuf)} or releases it.
     *
     * @param payloadHintBytes the expected size of the payload
     */
    public ByteBuf startReply(int payloadHintBytes) {
        return start(Frame.KIND_REPLY, payloadHintBytes);
    }

    /** Answers with a buffer of {@link #startReply}, which must not be used afterwards. */
    public void reply(ByteBuf started) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            started.release();
            throw new IllegalStateException("the request '" + MessageType.nameOf(type) + "' is answered twice");
        }
        if (started.readableBytes() > Frame.MAX_BYTES) {
            int sizeBytes = started.readableBytes();
            started.release();
            send(error(ErrorReply.of(
                    ErrorCode.TOO_LARGE,
                    "the reply has " + sizeBytes + " bytes, more than the " + Frame.MAX_BYTES + " of a frame")));
            return;
        }
        send(started);
    }

    /** Answers with a control message. */
    public void reply(Message message) {
        reply(withPayload(start(Frame.KIND_REPLY, CONTROL_REPLY_HINT_BYTES), message));
    }

    /** Answers that the request is refused. */
    public void fail(ErrorReply reply) {
        reply(error(reply));
    }

    /** Answers that the request is refused, for a reason that needs no more than a code and a text. */
    public void fail(ErrorCode code, String message) {
        fail(ErrorReply.of(code, message));
    }

    boolean isAnswered() {
        return (boolean) ANSWERED.getVolatile(this);
    }

    private ByteBuf error(ErrorReply reply) {
        return withPayload(start(Frame.KIND_ERROR, CONTROL_REPLY_HINT_BYTES), reply);
    }

    private ByteBuf start(int kind, int payloadHintBytes) {
        ByteBuf frame = connection.allocator().ioBuffer(Frame.HEADER_BYTES + payloadHintBytes);
        Frame.start(frame, kind, type, correlation);
        return frame;
    }

    private void send(ByteBuf frame) {
        Frame.finish(frame);
        connection.send(frame);
    }

    private static ByteBuf withPayload(ByteBuf frame, Message message) {
        boolean written = false;
        try {
            message.writeTo(frame);
            written = true;
            return frame;
        } finally {
            if (!written) {
                frame.release();
            }
        }
    }
}
