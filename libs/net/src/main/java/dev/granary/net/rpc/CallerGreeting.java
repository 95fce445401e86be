package dev.granary.net.rpc;

import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.Proof;
import dev.granary.net.access.Transcript;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.message.HandshakeMessages.Prove;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The calling side's part of a greeting. Its calls come one after the other.
 *
 * <pre>{@code
 *  hello -->  <-- reply   [with a secret: prove -->  <-- reply]   [with a user: login -->  <-- reply]   greeted
 * }</pre>
 */
final class CallerGreeting {

    private static final int HINT_BYTES = 128;

    private static final Step GREETED = new Step(null, null);

    private final RpcIdentity identity;
    private final int expectedNid;
    private byte[] hello = {};
    private @Nullable Transcript exchange;

    /** Whose reply is awaited. */
    private MessageType<?, ?> awaited = MessageType.HELLO;

    /** How a reply was taken: the next frame to send, or why the called node is refused, or neither: it has greeted. */
    record Step(@Nullable ByteBuf next, @Nullable ErrorReply refusal) {}

    CallerGreeting(RpcIdentity identity, int expectedNid) {
        this.identity = identity;
        this.expectedNid = expectedNid;
    }

    /** Returns the first frame. */
    ByteBuf begin(ByteBufAllocator allocator) {
        ByteBuf frame = frame(allocator, MessageType.HELLO, identity.hello(expectedNid));
        hello = ByteBufUtil.getBytes(
                frame, frame.readerIndex() + Frame.HEADER_BYTES, frame.readableBytes() - Frame.HEADER_BYTES);
        return frame;
    }

    /**
     * Takes a reply.
     *
     * @param shown what the called node's certificate says
     * @param payload what is behind the frame's header
     * @throws FrameException when it does not belong here
     */
    Step take(ByteBufAllocator allocator, Proof shown, int kind, int type, ByteBuf payload) {
        if (type != awaited.code()) {
            throw new FrameException("a reply does not answer the " + awaited.name());
        }
        if (kind == Frame.KIND_ERROR) {
            return new Step(null, readError(payload));
        }
        if (type == MessageType.LOGIN.code()) {
            return GREETED;
        }
        return exchange == null ? takeHello(allocator, shown, payload) : takeProof(allocator, exchange, payload);
    }

    private Step takeHello(ByteBufAllocator allocator, Proof shown, ByteBuf payload) {
        byte[] bytes = ByteBufUtil.getBytes(payload);
        HelloReply answer = MessageType.HELLO.readReply(payload);
        ErrorReply refusal = ProvenRoles.refusalOfCalled(answer.role(), shown);
        if (refusal == null) {
            refusal = identity.refusalOf(answer, expectedNid);
        }
        if (refusal != null) {
            return new Step(null, refusal);
        }
        if (!identity.credentials().exist()) {
            return logIn(allocator);
        }
        Transcript both = new Transcript(hello, bytes);
        exchange = both;
        Prove proof = new Prove(identity.credentials().proof(both));
        return next(allocator, MessageType.PROVE, proof);
    }

    private Step takeProof(ByteBufAllocator allocator, Transcript both, ByteBuf payload) {
        boolean proved = identity.credentials()
                .accept(both, MessageType.PROVE.readReply(payload).proof());
        if (proved) {
            return logIn(allocator);
        }
        return new Step(
                null,
                ErrorReply.of(
                        ErrorCode.NOT_PERMITTED,
                        "the called node does not have this cluster's secret; whatever it is, it is no node of this"
                                + " cluster"));
    }

    /** Only a node that has proved itself, where there is something to prove, gets a password. */
    private Step logIn(ByteBufAllocator allocator) {
        Login login;
        try {
            login = identity.login();
        } catch (UncheckedIOException e) {
            return new Step(null, ErrorReply.of(ErrorCode.NOT_AUTHENTICATED, String.valueOf(e.getMessage())));
        }
        return login == null ? GREETED : next(allocator, MessageType.LOGIN, login);
    }

    private Step next(ByteBufAllocator allocator, MessageType<?, ?> type, Message message) {
        awaited = type;
        return new Step(frame(allocator, type, message), null);
    }

    private static ByteBuf frame(ByteBufAllocator allocator, MessageType<?, ?> type, Message message) {
        ByteBuf frame = allocator.ioBuffer(Frame.HEADER_BYTES + HINT_BYTES);
        Frame.start(frame, Frame.KIND_REQUEST, type.code(), 0);
        message.writeTo(frame);
        return frame;
    }

    /** Reads an error; one that cannot be read becomes one that says so. */
    static ErrorReply readError(ByteBuf payload) {
        try {
            return ErrorReply.read(payload);
        } catch (FrameException e) {
            return ErrorReply.of(ErrorCode.UNKNOWN, String.valueOf(e.getMessage()));
        }
    }
}
