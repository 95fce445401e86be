package dev.granary.net.rpc;

import dev.granary.env.FatalErrors;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answering side of one connection. Its calls come one after the other. */
final class ServerConnection implements ConnectionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
    private static final Hello NOBODY = RpcIdentity.client().hello(0);

    private final RpcIdentity identity;
    private final RequestHandler handler;
    private @Nullable Hello caller;
    private boolean refused;

    ServerConnection(RpcIdentity identity, RequestHandler handler) {
        this.identity = identity;
        this.handler = handler;
    }

    @Override
    public void onFrame(Connection connection, ByteBuf frame) {
        if (refused) {
            return;
        }
        try {
            Frame.check(frame);
            if (Frame.kind(frame) != Frame.KIND_REQUEST) {
                throw new FrameException("a reply to a request that was never sent");
            }
        } catch (FrameException e) {
            LOG.warn("closing the connection from {}: {}", connection.remoteAddress(), e.getMessage());
            refused = true;
            connection.close();
            return;
        }
        if (caller == null || Frame.type(frame) == MessageType.HELLO.code()) {
            greet(connection, new RpcRequest(connection, NOBODY, frame));
        } else {
            dispatch(new RpcRequest(connection, caller, frame));
        }
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
        refused = true;
    }

    private void greet(Connection connection, RpcRequest request) {
        if (request.type() != MessageType.HELLO.code() || caller != null) {
            String problem = caller != null ? "a second hello" : "a hello must come first";
            refuse(connection, request, ErrorReply.of(ErrorCode.BAD_REQUEST, problem));
            return;
        }
        Hello hello;
        try {
            hello = request.read(MessageType.HELLO);
        } catch (FrameException e) {
            refuse(connection, request, ErrorReply.of(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage())));
            return;
        }
        ErrorReply refusal = ProvenRoles.refusalOf(hello.role(), connection.proof());
        if (refusal == null) {
            refusal = identity.refusalOf(hello);
        }
        if (refusal != null) {
            refuse(connection, request, refusal);
            return;
        }
        caller = hello;
        connection.greeted();
        request.reply(identity.helloReply());
    }

    private void refuse(Connection connection, RpcRequest request, ErrorReply refusal) {
        LOG.warn("refusing the connection from {}: {}", connection.remoteAddress(), refusal.message());
        refused = true;
        request.fail(refusal);
        connection.close();
    }

    @SuppressWarnings("CatchingUnchecked") // what a handler throws is answered, whatever it is
    private void dispatch(RpcRequest request) {
        try {
            handler.handle(request);
        } catch (FrameException | IndexOutOfBoundsException e) {
            answerFailure(request, ErrorCode.BAD_REQUEST, e);
        } catch (RuntimeException e) {
            answerFailure(request, ErrorCode.INTERNAL, e);
        } catch (VirtualMachineError e) {
            // The handler's work may be half done; the transport would only close the connection.
            FatalErrors.tell(e);
            throw e;
        }
    }

    private static void answerFailure(RpcRequest request, ErrorCode code, RuntimeException failure) {
        String name = MessageType.nameOf(request.type());
        if (code == ErrorCode.INTERNAL) {
            LOG.error("the request '{}' from {} failed", name, request.remoteAddress(), failure);
        } else {
            LOG.warn("the request '{}' from {} is malformed: {}", name, request.remoteAddress(), failure.getMessage());
        }
        if (!request.isAnswered()) {
            request.fail(code, name + ": " + failure.getMessage());
        }
    }
}
