package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.access.Access;
import dev.granary.access.AclLog;
import dev.granary.access.PageUsers;
import dev.granary.env.SystemClock;
import dev.granary.net.tls.NodeTrust;
import dev.granary.net.tls.TlsContexts;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPages;
import dev.granary.process.HttpPort;
import dev.granary.superpeer.console.Console;
import dev.granary.testkit.DerivedKeys;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.prometheus.client.CollectorRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users of a file ({@link PageUsers}) as readers of an HTTP port with the console, over TLS. */
class HttpUsersTest implements HttpContent {

    @TempDir
    private Path folder = Path.of("");

    private @Nullable Access access;
    private @Nullable TlsContexts tls;
    private @Nullable HttpPort port;
    private HttpClient client = HttpClient.newHttpClient();

    @Override
    public Optional<String> notReadyReason() {
        return Optional.empty();
    }

    @Override
    public String statusJson() {
        return "{}";
    }

    @Override
    public CollectorRegistry metrics() {
        return new CollectorRegistry();
    }

    @Override
    public Map<String, HttpPages> pages() {
        return Map.of(
                Console.PATH,
                Console.on(() -> CompletableFuture.completedFuture("{\"at\":\"now\"}"), new SystemClock()));
    }

    @BeforeEach
    void open() throws Exception {
        Path file = Files.writeString(
                folder.resolve("users.acl"), """
                user default off
                user prometheus on #%s -@all +granary.status
                user people on %s -@all +granary.status
                user app on >pw ~* +@all -@admin
                user guest on nopass ~* +@all
                user gone off >pw +granary.status
                """.formatted(sha256("scrape"), DerivedKeys.of("pass:word")));
        Access opened = new Access(file, new SecureRandom());
        opened.load(accounts -> {});
        access = opened;
        X509Bundle authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=CA")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        X509Bundle node = new CertificateBuilder()
                .ecp256()
                .subject("CN=node")
                .addSanUriName("spiffe://example.org/granary/c/super-peer")
                .buildIssuedBy(authority);
        TlsContexts contexts = TlsContexts.ofTexts(
                node.getCertificatePathPEM(),
                node.getPrivateKeyPEM(),
                authority.getCertificatePEM(),
                new SystemClock());
        tls = contexts;
        port = HttpPort.open(
                new HostAddress("127.0.0.1", 0),
                this,
                Map.of(),
                HttpGate.of(contexts, new PageUsers(opened, new SystemClock()), new SystemClock()));
        client.close();
        client = HttpClient.newBuilder()
                .sslContext(NodeTrust.ofTexts(null, null, authority.getCertificatePEM(), Instant.now()))
                .build();
    }

    private static String sha256(String password) throws Exception {
        return java.util.HexFormat.of()
                .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                        .digest(password.getBytes(StandardCharsets.UTF_8)));
    }

    @AfterEach
    void close() {
        client.close();
        if (port != null) {
            port.close();
        }
        if (tls != null) {
            tls.close();
        }
        if (access != null) {
            access.close();
        }
    }

    private HttpResponse<String> get(String path, String pair) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + (port == null ? 0 : port.port()) + path));
        if (!pair.isEmpty()) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void get_usersWithAndWithoutThePermission_areToldApart() throws Exception {
        assertThat(get("/status", "prometheus:scrape").statusCode()).isEqualTo(200);
        assertThat(get("/metrics", "people:pass:word").statusCode()).isEqualTo(200);
        for (String denied : new String[] {"app:pw", "guest:anything"}) {
            HttpResponse<String> answer = get("/status", denied);
            assertThat(answer.statusCode()).as(denied).isEqualTo(403);
            assertThat(answer.body()).contains("+granary.status");
        }
        for (String wrong : new String[] {"prometheus:Scrape", "gone:pw", "default:", "nobody:scrape", ":"}) {
            HttpResponse<String> answer = get("/status", wrong);
            assertThat(answer.statusCode()).as(wrong).isEqualTo(401);
            assertThat(answer.body()).contains("there is no user");
        }
        assertThat(get("/readyz", "").body()).isEqualTo("ready\n");
    }

    /** A browser asks, is asked for a password, and asks again with it: the page, what it loads, and each second. */
    @Test
    void console_nameAndPasswordOfAUser_showIt() throws Exception {
        HttpResponse<String> first = get("/console/", "");
        assertThat(first.statusCode()).isEqualTo(401);
        assertThat(first.headers().firstValue("WWW-Authenticate"))
                .contains("Basic realm=\"Granary\", charset=\"UTF-8\"");
        for (String path : new String[] {"/console/", "/console/console.js", "/console/data"}) {
            assertThat(get(path, "people:pass:word").statusCode()).as(path).isEqualTo(200);
        }
    }

    /** A derived key takes long to compare; a scraper pays that once. */
    @Test
    void get_manyScrapesWithOnePassword_compareTheDerivedKeyOnce() throws Exception {
        assertThat(get("/metrics", "people:pass:word").statusCode()).isEqualTo(200);
        long begun = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            assertThat(get("/metrics", "people:pass:word").statusCode()).isEqualTo(200);
        }
        // One derivation of the real number of iterations takes a tenth of a second.
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(8));
    }

    @Test
    void get_refusals_areInTheLogOfUsers() throws Exception {
        get("/status", "app:pw");
        get("/metrics", "prometheus:guess");

        assertThat(
                        access == null
                                ? java.util.List.<AclLog.Entry>of()
                                : access.log().newest(10))
                .extracting(
                        AclLog.Entry::context,
                        AclLog.Entry::user,
                        entry -> entry.reason().word(),
                        AclLog.Entry::object)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("http", "prometheus", "auth", "/metrics"),
                        org.assertj.core.groups.Tuple.tuple("http", "app", "command", "granary.status"));
    }
}
