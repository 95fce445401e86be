package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.SystemClock;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.storage.door.state.DoorCounters.Closing;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A {@link Door} with TLS, and the clients that it serves and refuses. */
class DoorTlsTest {

    private static final int PATIENCE_SECONDS = 20;

    private final X509Bundle authority;
    private final X509Bundle client;

    @TempDir
    Path folder = Path.of("");

    DoorTlsTest() throws Exception {
        this.authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=CA")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        this.client = new CertificateBuilder().ecp256().subject("CN=client").buildIssuedBy(authority);
    }

    private TlsContexts contexts() throws Exception {
        X509Bundle peer = new CertificateBuilder()
                .ecp256()
                .subject("CN=peer")
                .addSanIpAddress("127.0.0.1")
                .addSanUriName("spiffe://test/granary/sessions/storage/0")
                .buildIssuedBy(authority);
        TlsSettings settings = TlsSettings.ofDirectory(folder);
        Files.writeString(folder.resolve("tls.crt"), peer.getCertificatePathPEM());
        Files.writeString(folder.resolve("tls.key"), peer.getPrivateKeyPEM());
        Files.writeString(settings.ca(), authority.getCertificatePEM());
        return TlsContexts.open(settings, new SystemClock());
    }

    /** Connects as a client that trusts the CA. */
    private RespClient connect(OpenDoor open, @Nullable X509Bundle shown, String version) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] keys =
                shown == null ? new KeyManager[0] : shown.toKeyManagerFactory().getKeyManagers();
        context.init(keys, new TrustManager[] {client.toTrustManager()}, null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(open.address().host(), open.address().port());
        socket.setEnabledProtocols(new String[] {version});
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        return new RespClient(socket);
    }

    private static void awaitClosedByTls(OpenDoor open, long times) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (open.door().state().counters().closedSum(Closing.TLS) < times) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    void ask_clientsWithCertificates_areServed() throws Exception {
        try (TlsContexts tls = contexts();
                OpenDoor open = new OpenDoor(tls, ClientAuthentication.REQUIRED)) {
            try (RespClient first = connect(open, client, "TLSv1.3");
                    RespClient second = connect(open, client, "TLSv1.3")) {
                assertThat(first.ask("PING")).isEqualTo("+PONG");
                String large = "v".repeat(300_000);
                assertThat(first.ask("SET", "k", large)).isEqualTo("+OK");
                assertThat(second.ask("GET", "k")).isEqualTo("'" + large + "'");
                // A pipeline in one write.
                for (int i = 0; i < 1_000; i++) {
                    second.send(RespClient.request("PING", "n" + i));
                }
                for (int i = 0; i < 1_000; i++) {
                    assertThat(second.read()).isEqualTo("'n" + i + "'");
                }
                assertThat(second.ask("QUIT")).isEqualTo("+OK");
            }
        }
    }

    @Test
    void ask_noCertificateOldVersionOrNoTls_areRefused() throws Exception {
        try (TlsContexts tls = contexts();
                OpenDoor open = new OpenDoor(tls, ClientAuthentication.REQUIRED)) {
            X509Bundle self = new CertificateBuilder()
                    .ecp256()
                    .subject("CN=self")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
            for (X509Bundle shown : new @Nullable X509Bundle[] {null, self}) {
                try (RespClient refused = connect(open, shown, "TLSv1.3")) {
                    assertThatThrownBy(() -> refused.ask("PING")).isInstanceOf(IOException.class);
                }
            }
            awaitClosedByTls(open, 2);
            try (RespClient old = connect(open, client, "TLSv1.2")) {
                assertThatThrownBy(() -> old.ask("PING"))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("protocol_version");
            }
            awaitClosedByTls(open, 3);
            try (Socket plain = new Socket(open.address().host(), open.address().port())) {
                plain.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
                plain.getOutputStream().write(RespClient.request("PING"));
                assertThat(plain.getInputStream().readAllBytes()).doesNotContain('P', 'O', 'N', 'G');
            }
            awaitClosedByTls(open, 4);
        }
    }

    private X509Bundle named(String uri) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=x")
                .addSanUriName(uri)
                .buildIssuedBy(authority);
    }

    @Test
    void ask_certificateOfAMonitorOrAnotherCluster_isToldWhyAndClosed() throws Exception {
        for (ClientAuthentication asked :
                new ClientAuthentication[] {ClientAuthentication.OPTIONAL, ClientAuthentication.REQUIRED}) {
            try (TlsContexts tls = contexts();
                    OpenDoor open = new OpenDoor(tls, asked);
                    RespClient monitor = connect(open, named("spiffe://test/granary/sessions/monitor"), "TLSv1.3");
                    RespClient other = connect(open, named("spiffe://test/granary/others/client"), "TLSv1.3");
                    RespClient writer = connect(open, named("spiffe://test/granary/sessions/client"), "TLSv1.3")) {
                assertThat(monitor.ask("SET", "k", "v"))
                        .isEqualTo("-NOPERM its certificate is for reading the pages of HTTP: show one with the role"
                                + " 'client'");
                assertThat(monitor.isClosed()).isTrue();
                assertThat(other.ask("SET", "k", "v"))
                        .startsWith("-NOPERM its certificate is for 'test/others', the one of this process for");
                assertThat(other.isClosed()).isTrue();
                awaitClosedByTls(open, 2);
                assertThat(writer.ask("GET", "k")).isEqualTo("nil");
            }
        }
    }

    @Test
    void ask_certificatesOfNodesAndOperators_areServedAsClients() throws Exception {
        try (TlsContexts tls = contexts();
                OpenDoor open = new OpenDoor(tls, ClientAuthentication.REQUIRED)) {
            for (String role : new String[] {"storage", "super-peer", "operator"}) {
                try (RespClient named = connect(open, named("spiffe://test/granary/sessions/" + role), "TLSv1.3")) {
                    assertThat(named.ask("PING")).isEqualTo("+PONG");
                }
            }
        }
    }

    @Test
    void ask_clientsNeedNoCertificate_areServedWithoutOne() throws Exception {
        for (ClientAuthentication asked :
                new ClientAuthentication[] {ClientAuthentication.NONE, ClientAuthentication.OPTIONAL}) {
            try (TlsContexts tls = contexts();
                    OpenDoor open = new OpenDoor(tls, asked);
                    RespClient anonymous = connect(open, null, "TLSv1.3");
                    RespClient named = connect(open, client, "TLSv1.3")) {
                assertThat(anonymous.ask("PING")).isEqualTo("+PONG");
                assertThat(named.ask("PING")).isEqualTo("+PONG");
                assertThat(Objects.requireNonNull(open.door().state().config().tls()))
                        .isEqualTo(asked);
            }
        }
    }
}
