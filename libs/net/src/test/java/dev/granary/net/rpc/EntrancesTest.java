package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.CountingAllocator;
import dev.granary.net.ManualTime;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Entrance;
import dev.granary.net.access.NodePorts;
import dev.granary.net.access.NodePorts.Phase;
import dev.granary.net.access.RequestRoles;
import dev.granary.net.access.Role;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which requests of whom each port of a node takes, over real sockets, for all request types. */
class EntrancesTest {

    private static final String HOST = "127.0.0.1";
    private static final String SECRET = "the secret of this cluster";
    private static final long SECOND = 1_000_000_000;
    private static final int LIMIT_SECONDS = 30;
    private static final int HELLO_MILLIS = 60_000;

    /** All request types but those of the greeting, which every port answers. */
    private static final List<Integer> TYPES = IntStream.range(0, 256)
            .filter(type -> !RequestRoles.of(type).isEmpty())
            .filter(type -> type != MessageType.HELLO.code()
                    && type != MessageType.PROVE.code()
                    && type != MessageType.LOGIN.code())
            .boxed()
            .toList();

    private final CountingAllocator allocator = new CountingAllocator();
    private final NettyOptions options =
            NettyOptions.defaults().withIoThreads(1).withAllocator(allocator.buffers());
    private final NettyTransport transport = new NettyTransport(options);
    private final ManualTime time = new ManualTime();
    private final AccessLog denials = new AccessLog(time);
    private final List<RpcClient> clients = new ArrayList<>();
    private final NodePorts ports;

    EntrancesTest() throws IOException {
        List<Integer> free = freePorts();
        ports = new NodePorts(free.get(0), free.get(1), Phase.CLOSED);
    }

    @AfterEach
    void nothingIsLeft() {
        clients.forEach(RpcClient::close);
        transport.close();
        allocator.assertAllReleased();
    }

    private static List<Integer> freePorts() throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                held.add(new ServerSocket(0));
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    private static Credentials secret() {
        return Credentials.of(ClusterSecret.of(SECRET), new SecureRandom());
    }

    /** Starts a node that answers every request that comes through; returns the address that it advertises. */
    private HostAddress serve(NettyTransport on, String host, NodePorts of) throws Exception {
        RpcServer server = new RpcServer(
                new RpcIdentity(NodeRole.SUPER_PEER, 11, secret()),
                request -> request.reply(new StatusText("done")),
                denials);
        return server.listen(on, new HostAddress(host, 0), of).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns a caller of each role; an administrator is a client as well. */
    private Map<Role, RpcClient> callers(NodePorts ofNodes, NodePorts ofClients) {
        Map<Role, RpcClient> callers = new EnumMap<>(Role.class);
        callers.put(Role.CLIENT, caller(RpcIdentity.client(), ofClients));
        callers.put(Role.ADMINISTRATOR, caller(new RpcIdentity(NodeRole.CLIENT, 0, secret()), ofClients));
        callers.put(Role.STORAGE_PEER, caller(new RpcIdentity(NodeRole.STORAGE_PEER, 12, secret()), ofNodes));
        callers.put(Role.SUPER_PEER, caller(new RpcIdentity(NodeRole.SUPER_PEER, 13, secret()), ofNodes));
        return callers;
    }

    private RpcClient caller(RpcIdentity identity, NodePorts known) {
        RpcClient client = new RpcClient(transport, time, time, identity, known);
        clients.add(client);
        return client;
    }

    private static RpcClient of(Map<Role, RpcClient> callers, Role role) {
        return Objects.requireNonNull(callers.get(role));
    }

    private long denied() {
        return denials.counts().values().stream().mapToLong(count -> count).sum();
    }

    private static Set<Role> rolesOf(Role caller) {
        return caller == Role.ADMINISTRATOR ? Set.of(Role.CLIENT, Role.ADMINISTRATOR) : Set.of(caller);
    }

    private static boolean mayOneOf(int type, Set<Role> roles) {
        return RequestRoles.of(type).stream().anyMatch(roles::contains);
    }

    /** Sends a request without a payload; returns "done", or why it was refused. */
    private static String send(RpcClient caller, HostAddress to, int type) throws Exception {
        CompletableFuture<String> call = caller.call(
                to,
                0,
                type,
                payload -> {},
                payload -> MessageType.CLUSTER_STATUS.readReply(payload).json(),
                SECOND);
        return call.handle((reply, failure) -> {
                    if (failure == null) {
                        return reply;
                    }
                    assertThat(failure).isInstanceOf(RemoteErrorException.class);
                    assertThat(((RemoteErrorException) failure).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
                    return String.valueOf(failure.getMessage());
                })
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void call_everyTypeOfEveryCallerAtEveryPort_isAnsweredWhereTheTableOfRolesSays() throws Exception {
        HostAddress advertised = serve(transport, HOST, ports);
        Map<Integer, Set<Role>> doors = new LinkedHashMap<>();
        doors.put(advertised.port(), Set.of(Role.CLIENT));
        doors.put(ports.inside(), Set.of(Role.STORAGE_PEER, Role.SUPER_PEER));
        doors.put(ports.admin(), Set.of(Role.ADMINISTRATOR));
        Map<Role, RpcClient> callers = callers(NodePorts.NONE, NodePorts.NONE);
        int answered = 0;
        for (var door : doors.entrySet()) {
            for (var caller : callers.entrySet()) {
                Set<Role> here = new HashSet<>(rolesOf(caller.getKey()));
                here.retainAll(door.getValue());
                for (int type : TYPES) {
                    String outcome = send(caller.getValue(), new HostAddress(HOST, door.getKey()), type);
                    assertThat(outcome.equals("done"))
                            .as("%s of %s at %s: %s", MessageType.nameOf(type), caller.getKey(), door, outcome)
                            .isEqualTo(mayOneOf(type, here));
                    answered += outcome.equals("done") ? 1 : 0;
                }
            }
        }
        assertThat(TYPES).hasSizeGreaterThan(70);
        assertThat(denied()).isEqualTo((long) doors.size() * callers.size() * TYPES.size() - answered);
    }

    @Test
    void call_callersThatKnowThePorts_reachEverythingThatTheirRolesMaySend() throws Exception {
        HostAddress advertised = serve(transport, HOST, ports);
        reachAll(callers(ports, NodePorts.ofClient(ports.admin())), advertised, "closed");
        assertThat(denials.counts()).containsEntry("port", 0L).containsEntry("role", 0L);
    }

    private static void reachAll(Map<Role, RpcClient> callers, HostAddress to, String what) throws Exception {
        for (var caller : callers.entrySet()) {
            for (int type : TYPES) {
                if (mayOneOf(type, rolesOf(caller.getKey()))) {
                    assertThat(send(caller.getValue(), to, type))
                            .as("%s of %s, %s", MessageType.nameOf(type), caller.getKey(), what)
                            .isEqualTo("done");
                }
            }
        }
    }

    /** Nodes restart one after the other, three times: between two states that follow each other both are there. */
    @Test
    void call_portsComeByThreeRollingRestarts_nodesBeforeAndAfterReachEachOther() throws Exception {
        List<NodePorts> states = List.of(
                NodePorts.NONE,
                new NodePorts(ports.inside(), ports.admin(), Phase.OPEN),
                new NodePorts(ports.inside(), ports.admin(), Phase.USED),
                ports);
        List<HostAddress> servers = new ArrayList<>();
        for (int state = 0; state < states.size(); state++) {
            servers.add(serve(transport, "127.0.0." + (state + 1), states.get(state)));
        }
        for (int state = 0; state < states.size(); state++) {
            // Clients get the admin port once all nodes have it.
            NodePorts ofClients = state < 2 ? NodePorts.NONE : NodePorts.ofClient(ports.admin());
            Map<Role, RpcClient> callers = callers(states.get(state), ofClients);
            for (int other = Math.max(0, state - 1); other <= Math.min(states.size() - 1, state + 1); other++) {
                reachAll(callers, servers.get(other), "from state %d to state %d".formatted(state, other));
            }
        }
    }

    @Test
    void call_atAWrongPort_isToldTheRightOneAndWhatToSet() throws Exception {
        HostAddress advertised = serve(transport, HOST, ports);
        HostAddress inside = new HostAddress(HOST, ports.inside());
        HostAddress admin = new HostAddress(HOST, ports.admin());
        Map<Role, RpcClient> callers = callers(NodePorts.NONE, NodePorts.NONE);
        for (Role role : List.of(Role.CLIENT, Role.ADMINISTRATOR)) {
            assertThat(send(of(callers, role), advertised, MessageType.CLUSTER_STATUS.code()))
                    .contains("takes the requests of [clients] only: send 'cluster-status' to port " + admin.port())
                    .contains("--admin-port");
        }
        assertThat(send(of(callers, Role.ADMINISTRATOR), admin, MessageType.GET))
                .contains("[administrators] only: send 'get' to port " + advertised.port())
                .contains("listen.port");
        assertThat(send(of(callers, Role.STORAGE_PEER), advertised, MessageType.RENEW_LEASE.code()))
                .contains("send 'renew-lease' to port " + inside.port())
                .contains("inside.port");
        // Clients may send it at this port; a node is no client.
        assertThat(send(of(callers, Role.STORAGE_PEER), advertised, MessageType.GET_RING.code()))
                .contains("send 'get-ring' to port " + inside.port());
        assertThat(send(of(callers, Role.CLIENT), inside, MessageType.GET))
                .contains("[storage peers, super-peers] only: send 'get' to port " + advertised.port());
        // At its own port a request is refused for its sender, as at a node with one port.
        assertThat(send(of(callers, Role.CLIENT), admin, MessageType.CLUSTER_STATUS.code()))
                .contains("only [administrators] may send 'cluster-status'");
        assertThat(send(of(callers, Role.STORAGE_PEER), inside, MessageType.RAFT.code()))
                .contains("only [super-peers] may send 'raft'");
        assertThat(denials.counts()).containsEntry("port", 6L).containsEntry("role", 2L);
    }

    @Test
    void listen_oneMorePortOnly_leavesTheRestAtTheAdvertisedPort() throws Exception {
        HostAddress advertised = serve(transport, HOST, new NodePorts(0, ports.admin(), Phase.CLOSED));
        Map<Role, RpcClient> callers = callers(NodePorts.NONE, NodePorts.NONE);
        assertThat(send(of(callers, Role.STORAGE_PEER), advertised, MessageType.RENEW_LEASE.code()))
                .isEqualTo("done");
        assertThat(send(of(callers, Role.ADMINISTRATOR), advertised, MessageType.CLUSTER_STATUS.code()))
                .contains("send 'cluster-status' to port " + ports.admin());
        assertThat(new NodePorts(ports.inside(), 0, Phase.CLOSED)
                        .advertised(advertised.port())
                        .roles())
                .containsExactlyInAnyOrder(Role.CLIENT, Role.ADMINISTRATOR);
        assertThat(NodePorts.NONE.advertised(advertised.port())).isSameAs(Entrance.EVERYTHING);
    }

    @Test
    void accept_moreThanTheLimitOverAllPorts_areClosedAtOnce() throws Exception {
        NettyOptions few = options.withAccepting(new NettyOptions.Accepting(100, 3, HELLO_MILLIS, 100));
        try (NettyTransport limited = new NettyTransport(few)) {
            HostAddress advertised = serve(limited, HOST, ports);
            List<Socket> open = new ArrayList<>();
            for (int port : List.of(advertised.port(), ports.inside(), ports.admin())) {
                open.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            // Ports accept side by side: a later connection may be taken before one that waits at another port.
            for (int i = 0; limited.acceptedConnections() < open.size() && i < LIMIT_SECONDS * 100; i++) {
                Thread.sleep(10);
            }
            assertThat(limited.acceptedConnections()).isEqualTo(open.size());
            for (int port : List.of(advertised.port(), ports.inside(), ports.admin())) {
                try (Socket tooMuch = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    tooMuch.setSoTimeout(LIMIT_SECONDS * 1000);
                    assertThat(tooMuch.getInputStream().read())
                            .as("the end at port %d", port)
                            .isEqualTo(-1);
                }
            }
            assertThat(limited.acceptedConnections()).isEqualTo(3);
            assertThat(limited.refusedConnections()).containsEntry("address", 3L);
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void listen_onePortIsTaken_fails() throws Exception {
        try (ServerSocket taken = new ServerSocket(ports.admin(), 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> serve(transport, HOST, ports))
                    .hasMessageContaining("cannot listen on " + HOST + ":" + taken.getLocalPort());
        }
    }

    @Test
    void ports_twoWithOneNumber_areRefused() {
        assertThatThrownBy(() -> new NodePorts(7600, 7600, Phase.CLOSED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("7600");
    }
}
