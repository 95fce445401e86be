package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Connection;
import dev.granary.net.CountingAllocator;
import dev.granary.net.ManualTime;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.UserRights;
import dev.granary.net.access.Users;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who logs in by {@link CallerGreeting} and what {@link ServerConnection} asks of users, over real sockets. */
class LoginTest {

    private static final String SECRET = "the secret of the cluster";
    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);
    private static final long SECOND = 1_000_000_000;
    private static final int LIMIT_SECONDS = 30;

    private final CountingAllocator allocator = new CountingAllocator();
    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1).withAllocator(allocator.buffers()));
    private final ManualTime time = new ManualTime();
    private final AccessLog denials = new AccessLog(time);
    private final List<RpcClient> clients = new ArrayList<>();
    private final KnownUsers users = new KnownUsers();

    @AfterEach
    void nothingIsLeft() {
        clients.forEach(RpcClient::close);
        transport.close();
        allocator.assertAllReleased();
    }

    /** Users with a password each, and what each may send. */
    private static final class KnownUsers implements Users {

        private final Map<String, String> passwords = Map.of("app", "pw", "admin", "root");
        private final Map<String, Set<Integer>> allowed = Map.of(
                "app", Set.of(MessageType.LOOKUP.code()),
                "admin", Set.of(MessageType.LOOKUP.code(), MessageType.CLUSTER_STATUS.code()));
        private final Set<Connection> open = ConcurrentHashMap.newKeySet();

        @Override
        public UserRights anonymous(Connection connection) {
            return rights(null);
        }

        @Override
        public CompletableFuture<Outcome> login(Connection connection, Login login) {
            open.add(connection);
            boolean isRight = login.password().equals(passwords.get(login.user()));
            Outcome outcome = isRight
                    ? Outcome.of(rights(login.user()))
                    : Outcome.refused(ErrorReply.of(ErrorCode.NOT_AUTHENTICATED, "wrong password"));
            return CompletableFuture.supplyAsync(() -> outcome);
        }

        @Override
        public void left(Connection connection) {
            open.remove(connection);
        }

        private UserRights rights(@Nullable String user) {
            return new UserRights() {
                @Override
                public @Nullable ErrorReply refusal(int type, ByteBuf payload) {
                    if (user == null) {
                        return ErrorReply.of(ErrorCode.NOT_AUTHENTICATED, "no user");
                    }
                    return allowed.getOrDefault(user, Set.of()).contains(type)
                            ? null
                            : ErrorReply.of(ErrorCode.NOT_PERMITTED, user + " may not");
                }

                @Override
                public boolean mayAdminister() {
                    return true;
                }
            };
        }
    }

    private HostAddress serve(@Nullable Users known) throws Exception {
        RpcIdentity node =
                new RpcIdentity(NodeRole.SUPER_PEER, 11, Credentials.of(ClusterSecret.of(SECRET), new SecureRandom()));
        node.takeNid(1);
        RpcServer server = new RpcServer(node, request -> request.reply(new StatusText("done")), denials, known);
        return transport.listen(ANY_PORT, server).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static RpcIdentity client(boolean secret, Supplier<@Nullable Login> login) {
        Credentials credentials =
                secret ? Credentials.of(ClusterSecret.of(SECRET), new SecureRandom()) : Credentials.none();
        return new RpcIdentity(NodeRole.CLIENT, 0, credentials, login);
    }

    private RpcClient open(RpcIdentity caller) {
        RpcClient client = new RpcClient(transport, time, time, caller);
        clients.add(client);
        return client;
    }

    private static <Q extends Message> String ask(RpcClient client, HostAddress to, MessageType<Q, ?> type, Q request)
            throws Exception {
        return client.call(
                        to,
                        1,
                        type.code(),
                        request::writeTo,
                        payload -> type.code() == MessageType.LOGIN.code()
                                ? "logged in"
                                : MessageType.CLUSTER_STATUS.readReply(payload).json(),
                        SECOND)
                .handle((reply, failure) ->
                        failure instanceof RemoteErrorException refused ? refused.code() + refused.getMessage() : reply)
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private String lookup(RpcClient client, HostAddress to) throws Exception {
        return ask(client, to, MessageType.LOOKUP, new Lookup(5));
    }

    @Test
    void call_userWithItsPassword_mayWhatTheUserMay() throws Exception {
        HostAddress server = serve(users);
        RpcClient app = open(client(false, () -> new Login("app", "pw")));
        assertThat(lookup(app, server)).isEqualTo("done");
        assertThat(ask(app, server, MessageType.CLUSTER_STATUS, new Empty())).contains("app may not");
        RpcClient admin = open(client(false, () -> new Login("admin", "root")));
        assertThat(ask(admin, server, MessageType.CLUSTER_STATUS, new Empty())).isEqualTo("done");
        assertThat(denials.counts()).containsEntry("user", 1L).containsEntry("role", 0L);
    }

    @Test
    void call_wrongPasswordOrNone_isNotAuthenticated() throws Exception {
        HostAddress server = serve(users);
        assertThat(lookup(open(client(false, () -> new Login("app", "no"))), server))
                .startsWith("NOT_AUTHENTICATED")
                .contains("wrong password");
        RpcClient nobody = open(client(false, () -> null));
        assertThat(lookup(nobody, server)).startsWith("NOT_AUTHENTICATED").contains("no user");
        assertThat(ask(nobody, server, MessageType.CLUSTER_STATUS, new Empty()))
                .as("without a login nobody is an administrator")
                .startsWith("NOT_PERMITTED");
        assertThat(denials.counts()).containsEntry("user", 2L);
    }

    @Test
    void call_secretIsProved_isSubjectToNoUserUntilItLogsIn() throws Exception {
        HostAddress server = serve(users);
        RpcClient client = open(client(true, () -> null));
        assertThat(ask(client, server, MessageType.CLUSTER_STATUS, new Empty())).isEqualTo("done");
        assertThat(ask(client, server, MessageType.LOGIN, new Login("app", "no")))
                .contains("wrong password");
        assertThat(ask(client, server, MessageType.CLUSTER_STATUS, new Empty())).isEqualTo("done");
        assertThat(ask(client, server, MessageType.LOGIN, new Login("app", "pw")))
                .isEqualTo("logged in");
        assertThat(ask(client, server, MessageType.CLUSTER_STATUS, new Empty())).contains("app may not");
    }

    @Test
    void call_afterAnotherLogin_isTheOtherUsers() throws Exception {
        HostAddress server = serve(users);
        RpcClient client = open(client(false, () -> new Login("app", "pw")));
        assertThat(ask(client, server, MessageType.CLUSTER_STATUS, new Empty())).contains("app may not");
        assertThat(ask(client, server, MessageType.LOGIN, new Login("admin", "root")))
                .isEqualTo("logged in");
        assertThat(ask(client, server, MessageType.CLUSTER_STATUS, new Empty())).isEqualTo("done");
    }

    @Test
    void call_nodeWithoutUsers_takesEveryLogin() throws Exception {
        HostAddress server = serve(null);
        assertThat(lookup(open(client(false, () -> new Login("app", "any"))), server))
                .isEqualTo("done");
    }

    @Test
    void login_ofANode_isRefused() throws Exception {
        HostAddress server = serve(users);
        RpcIdentity node = new RpcIdentity(
                NodeRole.STORAGE_PEER,
                1,
                Credentials.of(ClusterSecret.of(SECRET), new SecureRandom()),
                () -> new Login("app", "pw"));
        assertThat(lookup(open(node), server)).startsWith("BAD_REQUEST").contains("only clients log in");
    }

    @Test
    void call_passwordCannotBeRead_failsWithTheReason() throws Exception {
        HostAddress server = serve(users);
        RpcClient client = open(client(false, () -> {
            throw new UncheckedIOException("no password in 'file'", new IOException("gone"));
        }));
        assertThat(lookup(client, server)).startsWith("NOT_AUTHENTICATED").contains("no password in 'file'");
    }

    @Test
    void connection_ended_isTold() throws Exception {
        HostAddress server = serve(users);
        RpcClient client = open(client(false, () -> new Login("app", "pw")));
        assertThat(lookup(client, server)).isEqualTo("done");
        assertThat(users.open).hasSize(1);
        client.close();
        for (int i = 0; i < 200 && !users.open.isEmpty(); i++) {
            Thread.sleep(20);
        }
        assertThat(users.open).isEmpty();
    }

    @Test
    void toString_login_showsNoPassword() {
        assertThat(new Login("app", "hidden").toString()).contains("app").doesNotContain("hidden");
    }
}
