package dev.granary.net.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.CountingAllocator;
import dev.granary.net.Transport;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link TlsContexts} under {@link NettyTransport} and calls, with real sockets: who gets in, what others hear, and
 * whom {@link RevocationLists} keep out. {@link TlsGuard} closes their connections.
 */
class TlsTransportTest {

    private static final int LIMIT_SECONDS = 30;
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);

    /** Half of the time after which silence is refused; without other work on the machine it takes milliseconds. */
    private static final long PROMPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int HELLO_MILLIS = 20_000;
    private static final int SILENT_MILLIS = 1_500;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final CountingAllocator allocator = new CountingAllocator();
    private final ThreadScheduler scheduler = new ThreadScheduler("test", failure -> {});

    @TempDir
    Path folder = Path.of("");

    private final TestAuthority authority;
    private @Nullable NettyTransport listening;
    private @Nullable TlsContexts contexts;

    TlsTransportTest() throws Exception {
        this.authority = new TestAuthority("the CA");
    }

    private NettyTransport server() {
        return Objects.requireNonNull(listening);
    }

    private TlsContexts serverTls() {
        return Objects.requireNonNull(contexts);
    }

    @AfterEach
    void end() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        scheduler.close();
        allocator.assertAllReleased();
    }

    /** Listens as a storage peer. */
    private HostAddress serve(TlsSettings settings) throws Exception {
        return serve(settings, HELLO_MILLIS);
    }

    private HostAddress serve(TlsSettings settings, int helloMillis) throws Exception {
        TlsContexts tls = opened(TlsContexts.open(settings, new SystemClock(), 20));
        contexts = tls;
        NettyTransport server = opened(new NettyTransport(options()
                .withAccepting(new NettyOptions.Accepting(1000, 1000, helloMillis, 4096))
                .withTls(tls)));
        listening = server;
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 11);
        return listen(server, identity);
    }

    private NettyOptions options() {
        return NettyOptions.defaults().withIoThreads(1).withAllocator(allocator.buffers());
    }

    private static HostAddress listen(Transport transport, RpcIdentity identity) throws Exception {
        return transport
                .listen(
                        ANY_PORT,
                        new RpcServer(
                                identity,
                                request -> request.reply(
                                        new StatusText(request.caller().role().name()))))
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private HostAddress serve() throws Exception {
        return serve(authority.node(folder.resolve("server"), "c", "storage"));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    private RpcClient caller(@Nullable TlsSettings settings, NodeRole role) throws Exception {
        TlsContexts tls = settings == null ? null : opened(TlsContexts.open(settings, new SystemClock()));
        NettyTransport transport = opened(new NettyTransport(options().withTls(tls)));
        return opened(new RpcClient(transport, new SystemClock(), scheduler, new RpcIdentity(role, 5)));
    }

    /** Asks for what callers of all roles may ask for. */
    private static CompletableFuture<String> ask(RpcClient client, HostAddress address) {
        return ask(client, address, MessageType.GET_RING);
    }

    /** Whatever the type, the server's answer is the role of the caller. */
    private static CompletableFuture<String> ask(RpcClient client, HostAddress address, MessageType<Empty, ?> type) {
        return client.call(
                address,
                0,
                type.code(),
                new Empty()::writeTo,
                payload -> MessageType.CLUSTER_STATUS.readReply(payload).json(),
                CALL_NANOS);
    }

    private static String answer(RpcClient client, HostAddress address) throws Exception {
        return ask(client, address).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void assertRefused(@Nullable TlsSettings settings, NodeRole role, HostAddress address, String... words)
            throws Exception {
        RpcClient client = caller(settings, role);
        long startNanos = System.nanoTime();
        assertThatThrownBy(() -> answer(client, address))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContainingAll(words);
        assertThat(System.nanoTime() - startNanos).isLessThan(PROMPT_NANOS);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(5);
        }
    }

    private long refusedByTls() {
        return server().refusedConnections().getOrDefault("tls", 0L);
    }

    @Test
    void call_nodesAndClientsOfTheCluster_areServedInTheirRoles() throws Exception {
        HostAddress address = serve();
        TlsSettings superPeer = authority.node(folder.resolve("a"), "c", "super-peer/0");
        TlsSettings client = authority.node(folder.resolve("b"), "c", "client/orders");
        TlsSettings plain = authority.write(folder.resolve("p"), authority.issue(b -> b.subject("CN=orders")));

        assertThat(answer(caller(superPeer, NodeRole.SUPER_PEER), address)).isEqualTo("SUPER_PEER");
        assertThat(answer(caller(superPeer, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertThat(answer(caller(client, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertThat(answer(caller(plain, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertThat(refusedByTls()).isZero();
    }

    /** Where there is no secret, the certificate says who administers. */
    @Test
    void administer_certificateOfAClient_isDeniedAndThatOfAnOperatorIsNot() throws Exception {
        HostAddress address = serve();
        TlsSettings operator = authority.node(folder.resolve("o"), "c", "operator");
        TlsSettings client = authority.node(folder.resolve("b"), "c", "client/orders");

        RpcClient administrator = caller(operator, NodeRole.CLIENT);
        assertThat(ask(administrator, address, MessageType.CLUSTER_STATUS).get(LIMIT_SECONDS, TimeUnit.SECONDS))
                .isEqualTo("CLIENT");
        RpcClient application = caller(client, NodeRole.CLIENT);
        assertThatThrownBy(() ->
                        ask(application, address, MessageType.CLUSTER_STATUS).get(LIMIT_SECONDS, TimeUnit.SECONDS))
                .hasMessageContaining("only [administrators] may send 'cluster-status'");
        assertThat(answer(application, address)).as("its connection goes on").isEqualTo("CLIENT");
    }

    @Test
    void call_roleOfTheSubject_isThatOfTheCertificate() throws Exception {
        HostAddress address = serve(authority.write(
                folder.resolve("server"), authority.issue(b -> b.subject("CN=a,OU=granary-storage,O=c"))));
        TlsSettings good =
                authority.write(folder.resolve("a"), authority.issue(b -> b.subject("OU=granary-super-peer,O=c")));
        TlsSettings elsewhere =
                authority.write(folder.resolve("b"), authority.issue(b -> b.subject("OU=granary-super-peer,O=d")));

        assertThat(answer(caller(good, NodeRole.SUPER_PEER), address)).isEqualTo("SUPER_PEER");
        assertRefused(elsewhere, NodeRole.SUPER_PEER, address, "O=d", "O=c");
    }

    @Test
    void call_anotherRoleThanTheCertificate_isRefusedByTheHello() throws Exception {
        HostAddress address = serve();
        TlsSettings storage = authority.node(folder.resolve("a"), "c", "storage");
        TlsSettings client = authority.node(folder.resolve("b"), "c", "client");
        TlsSettings operator = authority.node(folder.resolve("o"), "c", "operator");

        assertRefused(storage, NodeRole.SUPER_PEER, address, "says that it is a super-peer", "says storage-peer");
        assertRefused(client, NodeRole.STORAGE_PEER, address, "says that it is a storage-peer", "says client");
        assertRefused(operator, NodeRole.SUPER_PEER, address, "says operator");
        assertThat(answer(caller(operator, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
    }

    /** It reads pages by HTTP, and no data. */
    @Test
    void call_certificateForMonitoring_isRefused() throws Exception {
        TlsSettings monitor = authority.node(folder.resolve("m"), "c", "monitor");
        assertRefused(monitor, NodeRole.CLIENT, serve(), "its certificate is for reading the pages of HTTP");
    }

    @Test
    void call_calledSideIsNoNode_isRefusedByTheCaller() throws Exception {
        HostAddress address = serve(authority.node(folder.resolve("server"), "c", "client"));
        assertRefused(
                authority.node(folder.resolve("a"), "c", "client"),
                NodeRole.CLIENT,
                address,
                "the called node says that it is a storage-peer",
                "says client");
    }

    @Test
    void call_certificateOfAnotherCluster_isRefusedOnBothSides() throws Exception {
        HostAddress address = serve();
        TlsSettings sameCa = authority.node(folder.resolve("a"), "d", "super-peer");
        assertRefused(sameCa, NodeRole.SUPER_PEER, address, "example.org/d", "example.org/c");

        TestAuthority other = new TestAuthority("another CA");
        TlsSettings otherCa = other.node(folder.resolve("b"), "c", "super-peer");
        assertRefused(otherCa, NodeRole.SUPER_PEER, address, "no trusted CA has issued");
        // It trusts the server, which does not trust it.
        Files.writeString(otherCa.ca(), authority.pem());
        assertRefused(otherCa, NodeRole.SUPER_PEER, address, "the other side refuses", "this side");
        await(() -> refusedByTls() == 2);
    }

    @Test
    void call_selfSignedExpiredOrNoCertificate_isRefused() throws Exception {
        HostAddress address = serve();
        X509Bundle self = TestAuthority.withUri(TestAuthority.builder(), TestAuthority.spiffe("c", "super-peer"))
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        TlsSettings selfSigned = authority.write(folder.resolve("a"), self);
        assertRefused(selfSigned, NodeRole.SUPER_PEER, address, "the other side refuses", "this side");

        assertRefused(
                authority.client(folder.resolve("b")),
                NodeRole.CLIENT,
                address,
                "it asks for a certificate, and this side has shown none");
        await(() -> refusedByTls() == 2);

        // One that expires while its process runs.
        Instant now = Instant.now();
        TlsSettings expiring =
                authority.write(folder.resolve("c"), authority.issue(b -> b.notBefore(now.minusSeconds(60))
                        .notAfter(now.plusSeconds(3))));
        TlsContexts tls = opened(TlsContexts.open(expiring, new SystemClock()));
        assertThat(tls.secondsToExpiry()).isBetween(0.0, 3.0);
        RpcClient late = opened(new RpcClient(
                opened(new NettyTransport(options().withTls(tls))),
                new SystemClock(),
                scheduler,
                RpcIdentity.client()));
        await(() -> tls.secondsToExpiry() < -1);
        assertThatThrownBy(() -> answer(late, address)).hasMessageContaining("the other side refuses");
        await(() -> refusedByTls() == 3);
    }

    @Test
    void call_clientsNeedNotProve_nodesStillMust() throws Exception {
        for (ClientAuthentication asked :
                new ClientAuthentication[] {ClientAuthentication.OPTIONAL, ClientAuthentication.NONE}) {
            Path own = folder.resolve(asked.name());
            HostAddress address =
                    serve(authority.node(own.resolve("server"), "c", "storage").withClients(asked));
            TlsSettings client = authority.client(own.resolve("client"));
            assertThat(answer(caller(client, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
            assertRefused(client, NodeRole.SUPER_PEER, address, "a caller without a certificate");
            TlsSettings node = authority.node(own.resolve("node"), "c", "super-peer");
            assertThat(answer(caller(node, NodeRole.SUPER_PEER), address)).isEqualTo("SUPER_PEER");
        }
    }

    @Test
    void call_oneSideWithoutTls_isRefusedAndToldWhy() throws Exception {
        HostAddress address = serve();
        assertRefused(null, NodeRole.CLIENT, address, "no connection could be opened", "it may ask for TLS");
        await(() -> refusedByTls() == 1);

        NettyTransport without = opened(new NettyTransport(options()));
        HostAddress plainAddress = listen(without, new RpcIdentity(NodeRole.STORAGE_PEER, 1));
        assertRefused(
                authority.node(folder.resolve("a"), "c", "client"),
                NodeRole.CLIENT,
                plainAddress,
                "has closed the connection during the handshake; it may have no TLS");
        await(() -> without.refusedConnections().getOrDefault("tls", 0L) == 1);
    }

    @Test
    void connect_onlyTls12_isRefused() throws Exception {
        HostAddress address = serve();
        SSLContext old = SSLContext.getInstance("TLSv1.2");
        X509Bundle client = authority.issue(b -> b);
        old.init(
                client.toKeyManagerFactory().getKeyManagers(),
                new javax.net.ssl.TrustManager[] {authority.issue(b -> b).toTrustManager()},
                null);
        try (SSLSocket socket = (SSLSocket) old.getSocketFactory().createSocket(address.host(), address.port())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            assertThatThrownBy(socket::startHandshake)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("protocol_version");
        }
        await(() -> refusedByTls() == 1);
    }

    @Test
    void connect_garbageAndSilence_areClosedInTime() throws Exception {
        HostAddress address = serve(authority.node(folder.resolve("server"), "c", "storage"), SILENT_MILLIS);
        try (Socket garbage = new Socket();
                Socket silent = new Socket();
                Socket half = new Socket()) {
            for (Socket socket : new Socket[] {garbage, silent, half}) {
                socket.connect(new InetSocketAddress(address.host(), address.port()));
                socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            }
            long startNanos = System.nanoTime();
            garbage.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            // The header of a handshake record of 512 bytes, and one of them.
            half.getOutputStream().write(new byte[] {0x16, 3, 1, 2, 0, 1});
            readToEnd(garbage);
            await(() -> refusedByTls() >= 1);
            assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.MILLISECONDS.toNanos(SILENT_MILLIS));
            readToEnd(silent);
            readToEnd(half);
            assertThat(System.nanoTime() - startNanos).isLessThan(PROMPT_NANOS);
        }
        await(() -> server().refusedConnections().getOrDefault("silent", 0L) == 2);
        await(() -> server().acceptedConnections() == 0);
    }

    private static void readToEnd(Socket socket) throws IOException {
        try {
            // An alert may come first.
            byte[] received = socket.getInputStream().readAllBytes();
            assertThat(received).hasSizeLessThan(100);
        } catch (java.net.SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    void reload_underTraffic_newConnectionsHaveTheNewCertificateAndOldOnesGoOn() throws Exception {
        Path mounted = folder.resolve("server");
        authority.node(folder.resolve("first"), "c", "storage/first");
        authority.node(folder.resolve("second"), "c", "storage/second");
        // As Kubernetes mounts a Secret: the files are links through one link, which is swapped.
        Files.createDirectories(mounted);
        Files.createSymbolicLink(mounted.resolve("..data"), folder.resolve("first"));
        for (String file : new String[] {"tls.crt", "tls.key", "ca.crt"}) {
            Files.createSymbolicLink(mounted.resolve(file), Path.of("..data", file));
        }
        HostAddress address = serve(TlsSettings.ofDirectory(mounted));
        TlsSettings client = authority.node(folder.resolve("a"), "c", "client");
        RpcClient before = caller(client, NodeRole.CLIENT);
        assertThat(answer(before, address)).isEqualTo("CLIENT");
        assertThat(shownBy(address, client)).endsWith("storage/first");

        Files.createSymbolicLink(folder.resolve("..new"), folder.resolve("second"));
        Files.move(folder.resolve("..new"), mounted.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        while (serverTls().filesTaken() == 0) {
            assertThat(answer(before, address)).isEqualTo("CLIENT");
            assertThat(answer(caller(client, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        }
        assertThat(shownBy(address, client)).endsWith("storage/second");
        assertThat(answer(before, address)).isEqualTo("CLIENT");
        assertThat(serverTls().filesRefused()).isZero();
        assertThat(refusedByTls()).isZero();
    }

    @Test
    void reload_filesThatAreNoGood_areRefusedAndTheFormerOnesGoOn() throws Exception {
        HostAddress address = serve();
        TlsSettings client = authority.node(folder.resolve("a"), "c", "client");
        Path key = folder.resolve("server").resolve("tls.key");
        String former = Files.readString(key);
        Files.writeString(key, authority.issue(b -> b).getPrivateKeyPEM());
        await(() -> serverTls().filesRefused() == 1);
        assertThat(answer(caller(client, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        Files.delete(key);
        await(() -> serverTls().filesRefused() == 2);
        assertThat(answer(caller(client, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        Files.writeString(key, former);
        Thread.sleep(100);
        assertThat(serverTls().filesTaken()).isZero();
        assertThat(serverTls().filesRefused()).isEqualTo(2);
    }

    @Test
    void reload_newCaInTwoPhases_nobodyIsRefused() throws Exception {
        TestAuthority next = new TestAuthority("the next CA");
        HostAddress address = serve();
        Path serverFiles = folder.resolve("server");
        TlsSettings oldClient = authority.node(folder.resolve("a"), "c", "client");
        TlsSettings newClient = next.node(folder.resolve("b"), "c", "client");

        // First everybody trusts both.
        String both = authority.pem() + next.pem();
        Files.writeString(serverFiles.resolve("ca.crt"), both);
        Files.writeString(oldClient.ca(), both);
        Files.writeString(newClient.ca(), both);
        await(() -> serverTls().filesTaken() == 1);
        assertThat(answer(caller(oldClient, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertThat(answer(caller(newClient, NodeRole.CLIENT), address)).isEqualTo("CLIENT");

        // Then everybody gets a certificate of the new one.
        X509Bundle reissued = next.issue(b -> TestAuthority.withUri(b, TestAuthority.spiffe("c", "storage")));
        Files.writeString(serverFiles.resolve("tls.crt"), reissued.getCertificatePathPEM());
        Files.writeString(serverFiles.resolve("tls.key"), reissued.getPrivateKeyPEM());
        await(() -> serverTls().filesTaken() == 2);
        assertThat(answer(caller(oldClient, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertThat(answer(caller(newClient, NodeRole.CLIENT), address)).isEqualTo("CLIENT");

        // Last the old one is trusted no more.
        Files.writeString(serverFiles.resolve("ca.crt"), next.pem());
        await(() -> serverTls().filesTaken() == 3);
        assertThat(answer(caller(newClient, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertRefused(oldClient, NodeRole.CLIENT, address, "the other side refuses");
    }

    /** Returns the name in the certificate that the server shows to a new connection. */
    private String shownBy(HostAddress address, TlsSettings client) throws Exception {
        try (TlsContexts tls = TlsContexts.open(client, new SystemClock());
                NettyTransport transport = new NettyTransport(options().withTls(tls))) {
            return transport
                    .connect(address, new Silent())
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS)
                    .proof()
                    .subject();
        }
    }

    @Test
    void certificate_aboutToExpire_isShownInSeconds() throws Exception {
        serve(authority.write(
                folder.resolve("server"),
                authority.issue(b -> b.notAfter(Instant.now().plus(Duration.ofHours(1))))));
        assertThat(serverTls().secondsToExpiry()).isBetween(3_500.0, 3_600.0);
    }

    /** Sends nothing. */
    private static final class Silent implements ConnectionHandler {

        @Override
        public void onFrame(Connection connection, ByteBuf frame) {}

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {}
    }

    private static boolean isRefused(RpcClient client, HostAddress address, String words) {
        try {
            answer(client, address);
            return false;
        } catch (Exception e) {
            return String.valueOf(e.getMessage()).contains(words);
        }
    }

    private Path serverLists() {
        return folder.resolve("server").resolve(TlsSettings.CRL_NAME);
    }

    @Test
    void call_certificateIsRevoked_isRefusedAndOthersAreServed() throws Exception {
        X509Bundle lost = authority.issueMember("c", "client/lost");
        TlsSettings server = authority.node(folder.resolve("server"), "c", "storage");
        Files.writeString(serverLists(), authority.revoke(lost));
        HostAddress address = serve(server);
        TlsSettings kept = authority.node(folder.resolve("a"), "c", "client/kept");

        assertRefused(
                authority.write(folder.resolve("b"), lost),
                NodeRole.CLIENT,
                address,
                "the other side refuses",
                "was revoked");
        await(() -> refusedByTls() == 1);
        assertThat(answer(caller(kept, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
        assertThat(serverTls().revokedCertificates()).isPositive();
        assertThat(serverTls().secondsToNextLists()).isNotEqualTo(0);
    }

    @Test
    void call_certificateOfTheCalledNodeIsRevoked_isRefusedByTheCaller() throws Exception {
        X509Bundle lost = authority.issueMember("c", "storage");
        HostAddress address = serve(authority.write(folder.resolve("server"), lost));
        TlsSettings client = authority.node(folder.resolve("a"), "c", "client");
        Files.writeString(folder.resolve("a").resolve(TlsSettings.CRL_NAME), authority.revoke(lost));
        assertRefused(client, NodeRole.CLIENT, address, "the certificate of the other side was revoked");
    }

    @Test
    void revoke_openConnection_isClosedAndThoseOfOthersGoOn() throws Exception {
        HostAddress address = serve();
        X509Bundle lost = authority.issueMember("c", "client/lost");
        RpcClient losing = caller(authority.write(folder.resolve("a"), lost), NodeRole.CLIENT);
        RpcClient keeping = caller(authority.node(folder.resolve("b"), "c", "client/kept"), NodeRole.CLIENT);
        assertThat(answer(losing, address)).isEqualTo("CLIENT");
        assertThat(answer(keeping, address)).isEqualTo("CLIENT");
        Files.writeString(serverLists(), authority.revoke(lost));
        await(() -> isRefused(losing, address, "was revoked"));
        assertThat(answer(keeping, address)).isEqualTo("CLIENT");
        assertThat(serverTls().filesTaken()).isEqualTo(1);
    }

    @Test
    void revoke_listIsDeletedThenEmptied_countsUntilItIsEmpty() throws Exception {
        HostAddress address = serve();
        X509Bundle lost = authority.issueMember("c", "client/lost");
        Files.writeString(serverLists(), authority.revoke(lost));
        await(() -> serverTls().filesTaken() == 1);
        TlsSettings files = authority.write(folder.resolve("a"), lost);
        assertRefused(files, NodeRole.CLIENT, address, "was revoked");

        Files.delete(serverLists());
        await(() -> serverTls().filesRefused() == 1);
        assertRefused(files, NodeRole.CLIENT, address, "was revoked");

        Files.writeString(serverLists(), "");
        await(() -> serverTls().filesTaken() == 2);
        assertThat(answer(caller(files, NodeRole.CLIENT), address)).isEqualTo("CLIENT");
    }

    @Test
    void open_listThatItsCaHasNotSigned_isRefusedAndOneOfAnotherCaDoesNotCount() throws Exception {
        TlsSettings server = authority.node(folder.resolve("server"), "c", "storage");
        TestAuthority forger = new TestAuthority("the CA");
        Files.writeString(serverLists(), forger.revoke(forger.issueMember("c", "client")));
        assertThatThrownBy(() -> TlsContexts.open(server, new SystemClock()))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("has not signed");

        Files.writeString(serverLists(), "no list");
        assertThatThrownBy(() -> TlsContexts.open(server, new SystemClock())).hasMessageContaining("is not empty");

        TestAuthority other = new TestAuthority("another CA");
        Files.writeString(serverLists(), other.revoke(other.issueMember("c", "client")));
        assertThat(opened(TlsContexts.open(server, new SystemClock())).revokedCertificates())
                .isZero();

        Files.delete(serverLists());
        TlsSettings needing = new TlsSettings(
                server.certificate(),
                server.key(),
                server.ca(),
                TlsSettings.crl(server.ca(), serverLists()),
                ClientAuthentication.REQUIRED);
        assertThatThrownBy(() -> TlsContexts.open(needing, new SystemClock()))
                .hasMessageContaining(serverLists().toString());
    }
}
