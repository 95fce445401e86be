package dev.granary.net.rpc;

import dev.granary.env.FatalErrors;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.Proof;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.Entrance;
import dev.granary.net.access.RequestRoles;
import dev.granary.net.access.Role;
import dev.granary.net.access.Standing;
import dev.granary.net.access.Transcript;
import dev.granary.net.access.UserRights;
import dev.granary.net.access.Users;
import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.message.HandshakeMessages.Prove;
import dev.granary.net.message.HandshakeMessages.ProveReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answering side of one connection. Its calls come one after the other. */
final class ServerConnection implements ConnectionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
    private static final Hello NOBODY = RpcIdentity.client().hello(0);

    private final RpcIdentity identity;
    private final RequestHandler handler;
    private final AccessLog denials;
    private final @Nullable Users users;
    private final Entrance entrance;
    private @Nullable Hello caller;

    /** The greeting so far, while the caller's proof is awaited. */
    private @Nullable Transcript exchange;

    /** Of a login, the thread that has compared the password changes it. */
    private volatile Position position = Position.NOBODY;

    private boolean refused;
    private volatile boolean loggingIn;

    /**
     * What the caller may send.
     *
     * @param whole at all ports of this node together
     * @param standing at this port
     * @param rights of its user; null for one that is not subject to users
     */
    private record Position(
            Standing whole, Standing standing, @Nullable UserRights rights) {

        private static final Position NOBODY = new Position(Standing.NOBODY, Standing.NOBODY, null);
    }

    ServerConnection(
            RpcIdentity identity, RequestHandler handler, AccessLog denials, @Nullable Users users, Entrance entrance) {
        this.identity = identity;
        this.handler = handler;
        this.denials = denials;
        this.users = users;
        this.entrance = entrance;
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
        int type = Frame.type(frame);
        Hello known = caller;
        if (known == null || exchange != null || type == MessageType.HELLO.code() || type == MessageType.PROVE.code()) {
            greet(connection, new RpcRequest(connection, NOBODY, frame));
        } else if (type == MessageType.LOGIN.code()) {
            logIn(connection, new RpcRequest(connection, known, frame));
        } else {
            answer(position, new RpcRequest(connection, known, frame));
        }
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
        refused = true;
        Users all = users;
        if (all != null) {
            all.left(connection);
        }
    }

    /** Carries a request out if the caller may send it. */
    private void answer(Position now, RpcRequest request) {
        if (!now.standing.permits(request.type())) {
            deny(now, request);
            return;
        }
        UserRights rights = now.rights;
        ErrorReply refusal = rights == null ? null : refusal(rights, request);
        if (refusal == null) {
            dispatch(request);
        } else {
            denials.deniedUser();
            request.fail(refusal);
        }
    }

    private static @Nullable ErrorReply refusal(UserRights rights, RpcRequest request) {
        try {
            return rights.refusal(request.type(), request.payload());
        } catch (FrameException | IndexOutOfBoundsException e) {
            return ErrorReply.of(ErrorCode.BAD_REQUEST, MessageType.nameOf(request.type()) + ": " + e.getMessage());
        }
    }

    /** Finds what a caller may send that has greeted. */
    private void admit(Connection connection, Hello hello, boolean proved) {
        Users all = users;
        Proof.Role shown = connection.proof().role();
        position = all != null && RpcIdentity.isSubjectToUsers(hello, proved, shown)
                ? at(Standing.of(Role.CLIENT), all.anonymous(connection))
                : at(identity.standingOf(hello, proved, shown), null);
        connection.greeted();
    }

    private Position at(Standing whole, @Nullable UserRights rights) {
        return new Position(whole, entrance.narrow(whole), rights);
    }

    /** Whoever logs in is that user from then on, whatever else it has proved. */
    private void logIn(Connection connection, RpcRequest request) {
        Users all = users;
        if (loggingIn || request.caller().role() != NodeRole.CLIENT) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    loggingIn ? "a login is under way; wait for its reply" : "only clients log in, and not nodes");
            return;
        }
        Login login;
        try {
            login = request.read(MessageType.LOGIN);
        } catch (FrameException e) {
            answerFailure(request, ErrorCode.BAD_REQUEST, e);
            return;
        }
        if (all == null) {
            request.reply(new Empty());
            return;
        }
        loggingIn = true;
        var _ = all.login(connection, login).thenAccept(outcome -> {
            UserRights rights = outcome.rights();
            if (rights != null) {
                position = at(
                        rights.mayAdminister()
                                ? Standing.of(Role.CLIENT, Role.ADMINISTRATOR)
                                : Standing.of(Role.CLIENT),
                        rights);
            }
            loggingIn = false;
            ErrorReply refusal = outcome.refusal();
            if (refusal == null) {
                request.reply(new Empty());
            } else {
                denials.deniedUser();
                request.fail(refusal);
            }
        });
    }

    /** Takes the hello and the proof; nothing else comes through before they are done. */
    private void greet(Connection connection, RpcRequest request) {
        Transcript awaitsProof = exchange;
        Hello known = caller;
        try {
            if (known == null && request.type() == MessageType.HELLO.code()) {
                byte[] bytes = ByteBufUtil.getBytes(request.payload());
                takeHello(connection, request, request.read(MessageType.HELLO), bytes);
            } else if (known != null && awaitsProof != null && request.type() == MessageType.PROVE.code()) {
                takeProof(connection, request, known, awaitsProof, request.read(MessageType.PROVE));
            } else {
                String problem = known == null
                        ? "a hello must come first"
                        : awaitsProof == null
                                ? "a second hello, or a proof that was not asked for"
                                : "a proof must come";
                refuse(connection, request, ErrorReply.of(ErrorCode.BAD_REQUEST, problem));
            }
        } catch (FrameException e) {
            refuse(connection, request, ErrorReply.of(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage())));
        }
    }

    private void takeHello(Connection connection, RpcRequest request, Hello hello, byte[] bytes) {
        caller = hello;
        ErrorReply refusal = ProvenRoles.refusalOf(hello.role(), connection.proof());
        if (refusal == null) {
            refusal = identity.refusalOf(hello);
        }
        if (refusal != null) {
            refuse(connection, request, refusal);
            return;
        }
        HelloReply answer = identity.replyTo(hello);
        if (answer.nonce().bytes().length > 0) {
            exchange = new Transcript(bytes, bytesOf(connection, answer));
        } else {
            admit(connection, hello, false);
        }
        request.reply(answer);
    }

    private void takeProof(Connection connection, RpcRequest request, Hello hello, Transcript both, Prove prove) {
        exchange = null;
        Blob own = identity.credentials().answer(both, prove.proof());
        if (own == null) {
            refuse(
                    connection,
                    request,
                    ErrorReply.of(
                            ErrorCode.NOT_PERMITTED,
                            "the caller does not have the secret of this cluster: its file and that of this node differ"));
            return;
        }
        admit(connection, hello, true);
        request.reply(new ProveReply(own));
    }

    private static byte[] bytesOf(Connection connection, HelloReply answer) {
        ByteBuf bytes = connection.allocator().heapBuffer();
        try {
            answer.writeTo(bytes);
            return ByteBufUtil.getBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    private void refuse(Connection connection, RpcRequest request, ErrorReply refusal) {
        Hello known = caller;
        if (refusal.code() == ErrorCode.NOT_PERMITTED && known != null) {
            denials.deniedCaller(known, connection.remoteAddress(), refusal.message());
        } else {
            LOG.warn("refusing the connection from {}: {}", connection.remoteAddress(), refusal.message());
        }
        refused = true;
        request.fail(refusal);
        connection.close();
    }

    private void deny(Position now, RpcRequest request) {
        int type = request.type();
        Set<Role> permitted = RequestRoles.of(type);
        if (permitted.isEmpty()) {
            request.fail(ErrorCode.BAD_REQUEST, "there are no requests of the " + MessageType.nameOf(type));
            return;
        }
        Optional<String> elsewhere = entrance.refusal(type, now.whole);
        if (elsewhere.isPresent()) {
            denials.deniedPort(request.caller(), request.remoteAddress(), elsewhere.get());
            request.fail(ErrorCode.NOT_PERMITTED, elsewhere.get());
            return;
        }
        denials.deniedRequest(request.caller(), request.remoteAddress(), type);
        request.fail(
                ErrorCode.NOT_PERMITTED,
                "only %s may send '%s', and this caller is known as one of %s"
                        .formatted(permitted, MessageType.nameOf(type), now.whole));
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
