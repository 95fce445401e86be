package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.CountingAllocator;
import dev.granary.net.Frame;
import dev.granary.net.ManualTime;
import dev.granary.net.Proof;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.HandshakeMessages.Prove;
import dev.granary.net.message.HandshakeMessages.ProveReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who proves what to {@link ServerConnection} and by {@link CallerGreeting} over real sockets, and who is refused. */
class ProofTest {

    private static final UUID CLUSTER = new UUID(7, 8);
    private static final int SERVER_NID = 0x0001;
    private static final int PEER_NID = 0x8000;
    private static final long SECOND = 1_000_000_000;
    private static final int LIMIT_SECONDS = 30;
    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);
    private static final String RIGHT = "the right secret of the cluster";
    private static final String WRONG = "the secret of another cluster";

    private final CountingAllocator allocator = new CountingAllocator();
    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1).withAllocator(allocator.buffers()));
    private final ManualTime time = new ManualTime();
    private final AccessLog denials = new AccessLog(time);
    private final List<RpcClient> clients = new ArrayList<>();
    private final List<String> handled = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        clients.forEach(RpcClient::close);
        transport.close();
        allocator.assertAllReleased();
    }

    private static Credentials with(String secret) {
        return secret.isEmpty() ? Credentials.none() : Credentials.of(ClusterSecret.of(secret), new SecureRandom());
    }

    private static RpcIdentity node(NodeRole role, int nid, String secret) {
        RpcIdentity identity = new RpcIdentity(role, 11, with(secret));
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        return identity;
    }

    /** Starts a super-peer that answers every request that comes through. */
    private HostAddress serve(String secret) throws Exception {
        RpcIdentity identity = node(NodeRole.SUPER_PEER, SERVER_NID, secret);
        RpcServer server = new RpcServer(
                identity,
                request -> {
                    handled.add(MessageType.nameOf(request.type()));
                    request.reply(new StatusText("done"));
                },
                denials);
        return transport.listen(ANY_PORT, server).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private <Q extends Message> CompletableFuture<String> ask(
            RpcIdentity caller, HostAddress to, MessageType<Q, ?> type, Q request) {
        RpcClient client = new RpcClient(transport, time, time, caller);
        clients.add(client);
        return client.call(
                to,
                SERVER_NID,
                type.code(),
                request::writeTo,
                payload -> MessageType.CLUSTER_STATUS.readReply(payload).json(),
                SECOND);
    }

    private CompletableFuture<String> renewLike(RpcIdentity caller, HostAddress to) {
        return ask(caller, to, MessageType.LIST_SLOT_GROUPS, new Empty());
    }

    private static RpcIdentity client(String secret) {
        return new RpcIdentity(NodeRole.CLIENT, 0, with(secret));
    }

    private static String done(CompletableFuture<String> call) throws Exception {
        return call.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static RemoteErrorException refused(CompletableFuture<?> call) throws Exception {
        Throwable failure = call.handle((reply, thrown) -> thrown).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(failure).isInstanceOf(RemoteErrorException.class);
        RemoteErrorException refusal = (RemoteErrorException) failure;
        assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_PERMITTED);
        assertThat(refusal.maybeExecuted()).isFalse();
        return refusal;
    }

    @Test
    void call_nodeWithTheSecret_isAnswered() throws Exception {
        HostAddress server = serve(RIGHT);
        assertThat(done(renewLike(node(NodeRole.STORAGE_PEER, PEER_NID, RIGHT), server)))
                .isEqualTo("done");
        assertThat(denials.counts()).containsEntry("proof", 0L).containsEntry("role", 0L);
    }

    /** Nodes restart one after the other, three times: between two states that follow each other both are there. */
    @Test
    void call_secretIsChangedByThreeRollingRestarts_nodesBeforeAndAfterKnowEachOther() throws Exception {
        List<String> states = List.of(RIGHT, RIGHT + "\n" + WRONG, WRONG + "\n" + RIGHT, WRONG);
        List<HostAddress> servers = new ArrayList<>();
        for (String state : states) {
            servers.add(serve(state));
        }
        for (int state = 0; state < states.size(); state++) {
            for (int other = Math.max(0, state - 1); other <= Math.min(states.size() - 1, state + 1); other++) {
                RpcIdentity caller = node(NodeRole.STORAGE_PEER, PEER_NID, states.get(state));
                assertThat(done(renewLike(caller, servers.get(other))))
                        .as("from state %d to state %d", state, other)
                        .isEqualTo("done");
            }
        }
        assertThat(denials.counts()).containsEntry("proof", 0L);
    }

    @Test
    void call_nodeWithAnotherSecret_isRefusedByTheServer() throws Exception {
        HostAddress server = serve(RIGHT);
        assertThat(refused(renewLike(node(NodeRole.STORAGE_PEER, PEER_NID, WRONG), server)))
                .hasMessageContaining("does not have the secret of this cluster");
        assertThat(handled).isEmpty();
        assertThat(denials.counts()).containsEntry("proof", 1L);
    }

    @Test
    void call_nodeWithoutASecret_isToldWhichSettingToMake() throws Exception {
        HostAddress server = serve(RIGHT);
        assertThat(refused(renewLike(node(NodeRole.STORAGE_PEER, PEER_NID, ""), server)))
                .hasMessageContaining("cluster.secret.file");
        assertThat(refused(renewLike(node(NodeRole.SUPER_PEER, 0x0003, ""), server)))
                .hasMessageContaining("cluster.secret.file");
        assertThat(handled).isEmpty();
        assertThat(denials.counts()).containsEntry("proof", 2L);
    }

    @Test
    void call_serverWithoutASecret_isRefusedByTheCallerThatHasOne() throws Exception {
        HostAddress server = serve("");
        assertThat(refused(renewLike(node(NodeRole.STORAGE_PEER, PEER_NID, RIGHT), server)))
                .hasMessageContaining("has no cluster secret");
        assertThat(handled).isEmpty();
    }

    @Test
    void call_clientWithoutASecret_mayReadAndChangeDataOnly() throws Exception {
        HostAddress server = serve(RIGHT);
        assertThat(done(ask(client(""), server, MessageType.LOOKUP, new Lookup(5))))
                .isEqualTo("done");
        assertThat(refused(ask(client(""), server, MessageType.CLUSTER_STATUS, new Empty())))
                .hasMessageContaining("administrators")
                .hasMessageContaining("cluster-status");
        assertThat(handled).containsExactly("lookup");
        assertThat(denials.counts()).containsEntry("role", 1L);
    }

    @Test
    void call_clientWithTheSecret_mayAdministerAndIsNoNode() throws Exception {
        HostAddress server = serve(RIGHT);
        assertThat(done(ask(client(RIGHT), server, MessageType.CLUSTER_STATUS, new Empty())))
                .isEqualTo("done");
        assertThat(done(ask(client(RIGHT), server, MessageType.LOOKUP, new Lookup(5))))
                .isEqualTo("done");
        assertThat(refused(renewLike(client(RIGHT), server))).hasMessageContaining("storage peers");
    }

    @Test
    void call_clientWithAnotherSecret_isRefusedAlsoForData() throws Exception {
        HostAddress server = serve(RIGHT);
        refused(ask(client(WRONG), server, MessageType.LOOKUP, new Lookup(5)));
        assertThat(handled).isEmpty();
    }

    @Test
    void call_nodeOfAnotherRole_mayNotWhatItsRoleMayNot() throws Exception {
        HostAddress server = serve(RIGHT);
        assertThat(refused(ask(
                        node(NodeRole.STORAGE_PEER, PEER_NID, RIGHT), server, MessageType.ZONE_STATUS, new Empty())))
                .hasMessageContaining("super-peers");
        assertThat(handled).isEmpty();
    }

    @Test
    void call_nothingIsConfigured_everybodyIsBelieved() throws Exception {
        HostAddress server = serve("");
        assertThat(done(ask(client(""), server, MessageType.CLUSTER_STATUS, new Empty())))
                .isEqualTo("done");
        assertThat(done(renewLike(node(NodeRole.STORAGE_PEER, PEER_NID, ""), server)))
                .isEqualTo("done");
    }

    /** A connection on which the test says each byte itself. */
    private static final class Wire implements AutoCloseable {

        private final Socket socket;

        Wire(HostAddress to) throws IOException {
            socket = new Socket(to.host(), to.port());
            socket.setSoTimeout(LIMIT_SECONDS * 1_000);
        }

        static ByteBuf frame(MessageType<?, ?> type, long correlation, Message message) {
            ByteBuf frame = Unpooled.buffer();
            Frame.start(frame, Frame.KIND_REQUEST, type.code(), correlation);
            message.writeTo(frame);
            Frame.finish(frame);
            return frame;
        }

        void send(ByteBuf frame) throws IOException {
            byte[] bytes = new byte[frame.readableBytes()];
            frame.readBytes(bytes);
            socket.getOutputStream().write(bytes);
        }

        /** Returns the next frame; null when the other side has closed. */
        ByteBuf receive() throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] head = new byte[Frame.LENGTH_BYTES];
            try {
                in.readFully(head);
            } catch (EOFException e) {
                return Unpooled.EMPTY_BUFFER;
            }
            int rest = Unpooled.wrappedBuffer(head).readIntLE();
            byte[] body = new byte[rest];
            in.readFully(body);
            return Unpooled.wrappedBuffer(head, body);
        }

        /** Returns the error that comes next; the connection is closed behind it. */
        ErrorReply refusal() throws IOException {
            ByteBuf frame = receive();
            assertThat(Frame.kind(frame)).isEqualTo(Frame.KIND_ERROR);
            ErrorReply error = ErrorReply.read(frame.skipBytes(Frame.HEADER_BYTES));
            assertThat(receive().readableBytes()).as("closed behind it").isZero();
            return error;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static Hello hello(NodeRole role, Blob nonce) {
        return new Hello(1, 1, CLUSTER, role, PEER_NID, 11, SERVER_NID, nonce);
    }

    private static Blob nonce(int first) {
        byte[] bytes = new byte[Credentials.NONCE_BYTES];
        bytes[0] = (byte) first;
        return new Blob(bytes);
    }

    @Test
    void prove_recordedHelloAndProof_areRefusedWhenTheyComeAgain() throws Exception {
        HostAddress server = serve(RIGHT);
        RpcIdentity honest = node(NodeRole.STORAGE_PEER, PEER_NID, RIGHT);
        CallerGreeting greeting = new CallerGreeting(honest, SERVER_NID);
        ByteBuf hello = greeting.begin(Unpooled.buffer().alloc());
        Frame.finish(hello);
        ByteBuf proof;
        try (Wire wire = new Wire(server)) {
            wire.send(hello.duplicate());
            ByteBuf reply = wire.receive().skipBytes(Frame.HEADER_BYTES);
            proof = greeting.take(hello.alloc(), Proof.NONE, Frame.KIND_REPLY, MessageType.HELLO.code(), reply)
                    .next();
            assertThat(proof).isNotNull();
            Frame.finish(proof);
            wire.send(proof.duplicate());
            assertThat(Frame.kind(wire.receive())).isEqualTo(Frame.KIND_REPLY);
        }
        try (Wire wire = new Wire(server)) {
            wire.send(hello.duplicate());
            assertThat(Frame.kind(wire.receive())).isEqualTo(Frame.KIND_REPLY);
            wire.send(proof.duplicate());
            ErrorReply refusal = wire.refusal();
            assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_PERMITTED);
            assertThat(refusal.message()).contains("secret of this cluster");
        }
        assertThat(denials.counts()).containsEntry("proof", 1L);
        hello.release();
        proof.release();
    }

    /** Whoever sends a node's own words back to it has no proof of the other side. */
    @Test
    void prove_serversOwnNonceAndNoProof_areRefused() throws Exception {
        HostAddress server = serve(RIGHT);
        try (Wire wire = new Wire(server)) {
            wire.send(Wire.frame(MessageType.HELLO, 0, hello(NodeRole.STORAGE_PEER, nonce(1))));
            ByteBuf reply = wire.receive().skipBytes(Frame.HEADER_BYTES);
            HelloReply answer = MessageType.HELLO.readReply(reply);
            wire.send(Wire.frame(MessageType.PROVE, 0, new Prove(answer.nonce())));
            assertThat(wire.refusal().code()).isEqualTo(ErrorCode.NOT_PERMITTED);
        }
    }

    /** Answers a hello as the identity does, and a proof with the same proof. */
    private record Mirror(RpcIdentity identity) implements ConnectionHandler {

        @Override
        public void onFrame(Connection from, ByteBuf frame) {
            int type = Frame.type(frame);
            ByteBuf payload = frame.skipBytes(Frame.HEADER_BYTES);
            Message answer = type == MessageType.HELLO.code()
                    ? identity.replyTo(MessageType.HELLO.readRequest(payload))
                    : new ProveReply(MessageType.PROVE.readRequest(payload).proof());
            ByteBuf reply = from.allocator().ioBuffer();
            Frame.start(reply, Frame.KIND_REPLY, type, 0);
            answer.writeTo(reply);
            Frame.finish(reply);
            from.send(reply);
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            // Nothing is kept for it.
        }
    }

    /** A server that sends the caller's proof back as its own is not believed. */
    @Test
    void call_serverThatReflectsTheProof_isRefusedByTheCaller() throws Exception {
        RpcIdentity mirror = node(NodeRole.SUPER_PEER, SERVER_NID, WRONG);
        HostAddress address =
                transport.listen(ANY_PORT, connection -> new Mirror(mirror)).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(refused(renewLike(node(NodeRole.STORAGE_PEER, PEER_NID, RIGHT), address)))
                .hasMessageContaining("no node of this cluster");
    }

    @Test
    void request_beforeTheProof_isRefusedAndHandledByNobody() throws Exception {
        HostAddress server = serve(RIGHT);
        try (Wire wire = new Wire(server)) {
            wire.send(Wire.frame(MessageType.HELLO, 0, hello(NodeRole.STORAGE_PEER, nonce(1))));
            assertThat(Frame.kind(wire.receive())).isEqualTo(Frame.KIND_REPLY);
            wire.send(Wire.frame(MessageType.LIST_SLOT_GROUPS, 1, new Empty()));
            assertThat(wire.refusal().message()).contains("proof");
        }
        assertThat(handled).isEmpty();
    }

    @Test
    void prove_nothingWasAsked_isRefused() throws Exception {
        HostAddress server = serve(RIGHT);
        try (Wire wire = new Wire(server)) {
            wire.send(Wire.frame(MessageType.PROVE, 0, new Prove(nonce(1))));
            assertThat(wire.refusal().message()).contains("hello");
        }
        try (Wire wire = new Wire(server)) {
            wire.send(Wire.frame(MessageType.HELLO, 0, new Hello(1, 1, CLUSTER, NodeRole.CLIENT, 0, 0, 0)));
            assertThat(Frame.kind(wire.receive())).isEqualTo(Frame.KIND_REPLY);
            wire.send(Wire.frame(MessageType.PROVE, 0, new Prove(nonce(1))));
            assertThat(wire.refusal().code()).isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }

    @Test
    void hello_nonceOfAnotherSize_isRefused() throws Exception {
        HostAddress server = serve(RIGHT);
        try (Wire wire = new Wire(server)) {
            wire.send(Wire.frame(MessageType.HELLO, 0, hello(NodeRole.STORAGE_PEER, new Blob(new byte[5]))));
            assertThat(wire.refusal().code()).isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }
}
