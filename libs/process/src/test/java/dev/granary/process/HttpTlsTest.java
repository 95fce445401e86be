package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.SystemClock;
import dev.granary.net.access.PageReaders;
import dev.granary.net.tls.NodeTrust;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings;
import dev.granary.overlay.HostAddress;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An {@link HttpPort} behind an {@code HttpGate} with TLS, over real sockets: who reads, and who does not. */
class HttpTlsTest {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final X509Bundle authority = authority("CA");

    @TempDir
    Path folder = Path.of("");

    private @Nullable TlsContexts tls;
    private @Nullable HttpPort port;

    HttpTlsTest() throws Exception {}

    private static X509Bundle authority(String name) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private static CertificateBuilder member(String cluster, String role) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=" + role)
                .addSanUriName("spiffe://example.org/granary/" + cluster + "/" + role);
    }

    private void write(X509Bundle ca, X509Bundle own) throws IOException {
        Files.writeString(folder.resolve("tls.crt"), own.getCertificatePathPEM());
        Files.writeString(folder.resolve("tls.key"), own.getPrivateKeyPEM());
        Files.writeString(folder.resolve("ca.crt"), ca.getCertificatePEM());
    }

    private void open(@Nullable PageReaders users) throws Exception {
        write(authority, member("c", "storage").buildIssuedBy(authority));
        TlsContexts opened = TlsContexts.open(TlsSettings.ofDirectory(folder), new SystemClock());
        tls = opened;
        port = HttpPort.open(
                new HostAddress("127.0.0.1", 0),
                new Page(),
                Map.of(TlsPage.PATH, TlsPage.of(opened::certificate, opened::authorities)),
                HttpGate.of(opened, users, new SystemClock()));
    }

    @AfterEach
    void close() {
        if (port != null) {
            port.close();
        }
        if (tls != null) {
            tls.close();
        }
    }

    /** What is shown. */
    private static final class Page implements HttpContent {

        private final CollectorRegistry registry = Metrics.newRegistryWithJvm();

        @Override
        public Optional<String> notReadyReason() {
            return Optional.of("no lease yet");
        }

        @Override
        public String statusJson() {
            return "{\"a\":1}";
        }

        @Override
        public CollectorRegistry metrics() {
            return registry;
        }
    }

    private SSLContext showing(@Nullable X509Bundle shown) throws Exception {
        return showing(shown, authority);
    }

    private static SSLContext showing(@Nullable X509Bundle shown, X509Bundle trusted) throws Exception {
        return NodeTrust.ofTexts(
                shown == null ? null : shown.getCertificatePathPEM(),
                shown == null ? null : shown.getPrivateKeyPEM(),
                trusted.getCertificatePEM(),
                Instant.now());
    }

    private int number() {
        return port == null ? 0 : port.port();
    }

    private HttpResponse<String> get(SSLContext context, String path, String... headers) throws Exception {
        try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
            return get(client, path, headers);
        }
    }

    private HttpResponse<String> get(HttpClient client, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + number() + path))
                .timeout(Duration.ofSeconds(20));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns what the port has refused, by reason. */
    private double refused(String reason) {
        CollectorRegistry registry = new CollectorRegistry();
        Objects.requireNonNull(port).refusals().register(registry);
        return registry.getSampleValue("granary_http_refused_total", new String[] {"reason"}, new String[] {reason});
    }

    private static String[] basic(String pair) {
        return new String[] {
            "Authorization", "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8))
        };
    }

    @Test
    void get_certificatesOfNodesOperatorsAndMonitors_readAllPages() throws Exception {
        open(null);
        for (String role : new String[] {"storage", "super-peer", "operator", "monitor"}) {
            SSLContext context = showing(member("c", role).buildIssuedBy(authority));
            assertThat(get(context, "/status").body()).as(role).isEqualTo("{\"a\":1}\n");
            assertThat(get(context, "/metrics").body()).as(role).contains("jvm_threads_current");
            assertThat(get(context, TlsPage.PATH).body()).as(role).contains("CN=storage");
            assertThat(get(context, "/readyz").body()).as(role).isEqualTo("not ready: no lease yet\n");
        }
    }

    @Test
    void get_noCertificateOrOneOfAClient_readsNothingButProbes() throws Exception {
        open(null);
        for (SSLContext context :
                new SSLContext[] {showing(null), showing(member("c", "client").buildIssuedBy(authority))}) {
            for (String path : new String[] {"/status", "/metrics", "/tls", "/console/", "/nothing"}) {
                HttpResponse<String> refused = get(context, path);
                assertThat(refused.statusCode()).as(path).isEqualTo(403);
                assertThat(refused.body()).contains("with the role 'monitor'").doesNotContain("\"a\"");
            }
            assertThat(get(context, "/healthz").body()).isEqualTo("ok\n");
            HttpResponse<String> ready = get(context, "/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).isEqualTo("not ready\n");
        }
        assertThat(refused("unproved")).isEqualTo(10);
        assertThat(refused("tls")).isZero();
    }

    @Test
    void get_certificateOfAnotherCluster_isRefused() throws Exception {
        open(null);
        HttpResponse<String> refused = get(unchecked(member("other", "operator").buildIssuedBy(authority)), "/status");

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("example.org/other");
    }

    @Test
    void get_certificatesThatAreNotGood_endInTheHandshake() throws Exception {
        open(null);
        X509Bundle expired = member("c", "operator")
                .notBefore(Instant.now().minus(Duration.ofDays(3)))
                .notAfter(Instant.now().minus(Duration.ofDays(1)))
                .buildIssuedBy(authority);
        X509Bundle ofOtherCa = member("c", "operator").buildIssuedBy(authority("CA"));
        X509Bundle self =
                member("c", "operator").setIsCertificateAuthority(true).buildSelfSigned();
        for (X509Bundle shown : new X509Bundle[] {expired, ofOtherCa, self}) {
            SSLContext context = unchecked(shown);
            assertThatThrownBy(() -> get(context, "/status")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> get(context, "/healthz")).isInstanceOf(IOException.class);
        }
        assertThat(get(showing(null), "/healthz").statusCode()).isEqualTo(200);
        // Callers may hear of it a moment before it is counted.
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (refused("tls") < 6) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(5);
        }
        assertThat(refused("unproved")).as("requests").isZero();
    }

    /** Shows a certificate that this side itself would not take. */
    private SSLContext unchecked(X509Bundle shown) throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(
                new javax.net.ssl.KeyManager[] {new Insisting(shown)},
                new javax.net.ssl.TrustManager[] {new TrustingAll()},
                null);
        return context;
    }

    /** Shows its certificate also to a server that does not ask for one of its CA. */
    private static final class Insisting extends javax.net.ssl.X509ExtendedKeyManager {
        private final X509Bundle shown;

        Insisting(X509Bundle shown) {
            this.shown = shown;
        }

        @Override
        public String chooseEngineClientAlias(
                String[] types, java.security.Principal[] issuers, javax.net.ssl.SSLEngine engine) {
            return "own";
        }

        @Override
        public String chooseClientAlias(String[] types, java.security.Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public String[] getClientAliases(String type, java.security.Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String[] getServerAliases(String type, java.security.Principal[] issuers) {
            return new String[0];
        }

        @Override
        public @Nullable String chooseServerAlias(String type, java.security.Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public java.security.cert.X509Certificate[] getCertificateChain(String alias) {
            return shown.getCertificatePath();
        }

        @Override
        public java.security.PrivateKey getPrivateKey(String alias) {
            return shown.getKeyPair().getPrivate();
        }
    }

    /** Takes each certificate, whatever the address. */
    private static final class TrustingAll extends javax.net.ssl.X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }

    @Test
    void connect_oldVersionsAndNoTls_areNotServed() throws Exception {
        open(null);
        try (SSLSocket old =
                (SSLSocket) showing(null).getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), number())) {
            old.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThatThrownBy(old::startHandshake).isInstanceOf(IOException.class);
        }
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), number())) {
            plain.setSoTimeout(20_000);
            plain.getOutputStream().write("GET /status HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP")
                    .doesNotContain("\"a\"");
        }
    }

    /** A caller knows a node by its role and CA. */
    @Test
    void call_aServerThatIsNoNode_isNotTrusted() throws Exception {
        open(null);
        write(authority, member("c", "client").buildIssuedBy(authority));
        SSLContext context = showing(null);
        awaitFailure(() -> get(context, "/healthz"));
        write(authority, member("other", "storage").buildIssuedBy(authority));
        SSLContext known = showing(member("c", "operator").buildIssuedBy(authority));
        awaitFailure(() -> get(known, "/healthz"));
    }

    private interface Call {
        HttpResponse<String> run() throws Exception;
    }

    private static void awaitFailure(Call call) throws Exception {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                call.run();
            } catch (IOException e) {
                return;
            }
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(50);
        }
    }

    /** One scraper reads all the time, on one connection, while the node gets certificates of a new CA. */
    @Test
    void get_certificatesChangeWhileSomebodyScrapes_oldConnectionsGoOnAndNewOnesTakeTheNew() throws Exception {
        open(null);
        SSLContext before = showing(member("c", "monitor").buildIssuedBy(authority));
        X509Bundle next = authority("next CA");
        SSLContext after = showing(member("c", "monitor").buildIssuedBy(next), next);
        try (HttpClient scraper = HttpClient.newBuilder().sslContext(before).build()) {
            assertThat(get(scraper, "/metrics").statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> get(after, "/metrics")).isInstanceOf(IOException.class);
            write(next, member("c", "storage").buildIssuedBy(next));
            long end = System.nanoTime() + PATIENCE_NANOS;
            while (tls != null && tls.filesTaken() == 0) {
                assertThat(get(scraper, "/metrics").statusCode()).isEqualTo(200);
                assertThat(System.nanoTime()).isLessThan(end);
            }
            assertThat(get(scraper, "/metrics").statusCode()).isEqualTo(200);
        }
        assertThat(get(after, "/metrics").statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> get(before, "/metrics")).isInstanceOf(IOException.class);
    }

    @Test
    void get_namesAndPasswords_areJudgedByTheUsers() throws Exception {
        open((user, password, page, client) -> CompletableFuture.completedFuture(
                switch (user + "/" + password) {
                    case "prometheus/right" -> PageReaders.Outcome.YES;
                    case "app/right" -> PageReaders.Outcome.DENIED;
                    case "late/right" -> PageReaders.Outcome.BUSY;
                    default -> PageReaders.Outcome.WRONG;
                }));
        SSLContext stranger = showing(null);

        HttpResponse<String> asked = get(stranger, "/status");
        assertThat(asked.statusCode()).isEqualTo(401);
        assertThat(asked.headers().firstValue("WWW-Authenticate"))
                .hasValueSatisfying(challenge -> assertThat(challenge).startsWith("Basic realm="));
        assertThat(get(stranger, "/status", basic("prometheus:right")).body()).isEqualTo("{\"a\":1}\n");
        assertThat(get(stranger, "/status", basic("prometheus:wrong")).statusCode())
                .isEqualTo(401);
        assertThat(get(stranger, "/status", basic("app:right")).statusCode()).isEqualTo(403);
        HttpResponse<String> busy = get(stranger, "/status", basic("late:right"));
        assertThat(busy.statusCode()).isEqualTo(503);
        assertThat(busy.headers().firstValue("Retry-After")).contains("1");
        assertThat(get(stranger, "/status", "Authorization", "Bearer abc").statusCode())
                .isEqualTo(401);
        assertThat(get(stranger, "/status", "Authorization", "Basic ***").statusCode())
                .isEqualTo(401);
        // Whoever gives a password is that user, whatever it has shown.
        SSLContext operator = showing(member("c", "operator").buildIssuedBy(authority));
        assertThat(get(operator, "/status", basic("app:right")).statusCode()).isEqualTo(403);
        assertThat(get(operator, "/status").statusCode()).isEqualTo(200);
        assertThat(refused("unproved")).isEqualTo(1);
        assertThat(refused("password")).isEqualTo(3);
        assertThat(refused("permission")).isEqualTo(2);
        assertThat(refused("busy")).isEqualTo(1);
        assertThat(refused("request")).isZero();
    }

    @Test
    void get_manyWrongPasswords_areNotComparedAnyMore() throws Exception {
        int[] compared = new int[1];
        open((user, password, page, client) -> {
            compared[0]++;
            return CompletableFuture.completedFuture(PageReaders.Outcome.WRONG);
        });
        try (HttpClient client =
                HttpClient.newBuilder().sslContext(showing(null)).build()) {
            for (int i = 0; i < GuessLimit.FREE; i++) {
                assertThat(get(client, "/status", basic("prometheus:" + i)).statusCode())
                        .isEqualTo(401);
            }
            HttpResponse<String> refused = get(client, "/status", basic("prometheus:right"));
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).contains("6");
            assertThat(compared[0]).isEqualTo(GuessLimit.FREE);
            assertThat(get(client, "/healthz").statusCode()).isEqualTo(200);
        }
        assertThat(refused("password")).isEqualTo(GuessLimit.FREE);
        assertThat(refused("guesses")).isEqualTo(1);
    }
}
