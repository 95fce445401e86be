package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.tls.NodeTrust;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real process of the only super-peer of a ring. */
class SuperPeerMainTest {

    private static final long LIMIT_SECONDS = 120;

    @TempDir
    Path directory = Path.of("");

    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() throws InterruptedException {
        for (Process child : children) {
            child.destroyForcibly();
            child.waitFor();
        }
    }

    @Test
    void main_wrongConfiguration_exitsWith2AndNamesEachKey() throws Exception {
        Process child = start(Map.of("GRANARY_RING_SIZE", "10", "GRANARY_RING_BOOTSTARP", "true"));
        assertThat(child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).isEqualTo(2);
        assertThat(output())
                .contains("ring.size: the value '10'")
                .contains("GRANARY_RING_BOOTSTARP: unknown key")
                .contains("GRANARY_RING_BOOTSTRAP");
    }

    @Test
    void main_filesOfTlsAreMissing_exitsWith2AndNamesTheFirst() throws Exception {
        Map<String, String> wrong = configuration();
        Path files = directory.resolve("tls");
        wrong.put("GRANARY_TLS_DIRECTORY", files.toString());
        Process child = start(wrong);
        assertThat(child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).isEqualTo(2);
        assertThat(output())
                .contains("super-peer: wrong configuration")
                .contains("tls: the certificate file " + files.resolve("tls.crt") + " does not exist");
    }

    @Test
    void main_portIsTaken_exitsWith1AndLeavesNoPortsFile() throws Exception {
        Process first = start(configuration());
        int port = httpPort(first);
        Map<String, String> same = configuration();
        same.put("GRANARY_HTTP_PORT", Integer.toString(port));
        same.put("GRANARY_NODE_DATA_DIR", directory.resolve("other").toString());
        Process second = start(same);
        assertThat(second.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(directory.resolve("other").resolve("ports.json")).doesNotExist();
        assertThat(first.isAlive()).isTrue();
    }

    @Test
    void main_foundsAClusterAndIsStopped_nextProcessGoesOnWithIt() throws Exception {
        Process child = start(configuration());
        String cluster = servedCluster(child);
        child.destroy();
        assertThat(child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).isZero();
        assertThat(data().resolve("ports.json")).doesNotExist();

        assertThat(servedCluster(start(configuration()))).isEqualTo(cluster);
    }

    /** With TLS the port is for certificates and passwords; how the process fares, everybody may ask. */
    @Test
    void main_tlsOfHttp_isForWhoProvesSomethingAndProbesAreForAll() throws Exception {
        X509Bundle authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=CA")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        X509Bundle own = new CertificateBuilder()
                .ecp256()
                .subject("CN=node")
                .addSanUriName("spiffe://example.org/granary/c/super-peer")
                .buildIssuedBy(authority);
        Path files = Files.createDirectory(directory.resolve("tls"));
        Files.writeString(files.resolve("tls.crt"), own.getCertificatePathPEM());
        Files.writeString(files.resolve("tls.key"), own.getPrivateKeyPEM());
        Files.writeString(files.resolve("ca.crt"), authority.getCertificatePEM());
        Path users = Files.writeString(
                directory.resolve("users.acl"), "user default off\nuser prometheus on >pw +granary.status\n");
        Map<String, String> secured = configuration();
        secured.put("GRANARY_TLS_DIRECTORY", files.toString());
        secured.put("GRANARY_USERS_FILE", users.toString());
        secured.put("GRANARY_HTTP_TLS", "true");
        Process child = start(secured);
        URI status = URI.create("https://127.0.0.1:" + httpPort(child) + "/status");
        SSLContext stranger = NodeTrust.ofTexts(null, null, authority.getCertificatePEM(), Instant.now());
        SSLContext node = NodeTrust.ofTexts(
                own.getCertificatePathPEM(), own.getPrivateKeyPEM(), authority.getCertificatePEM(), Instant.now());
        String pair = Base64.getEncoder().encodeToString("prometheus:pw".getBytes(StandardCharsets.UTF_8));
        HttpRequest.Builder request = HttpRequest.newBuilder(status);
        try (HttpClient anybody = HttpClient.newBuilder().sslContext(stranger).build();
                HttpClient known = HttpClient.newBuilder().sslContext(node).build()) {
            BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();
            assertThat(anybody.send(request.build(), text).statusCode()).isEqualTo(401);
            assertThat(known.send(request.build(), text).body()).startsWith("{");
            assertThat(anybody.send(
                                    HttpRequest.newBuilder(status.resolve("/healthz"))
                                            .build(),
                                    text)
                            .body())
                    .isEqualTo("ok\n");
            request.header("Authorization", "Basic " + pair);
            assertThat(anybody.send(request.build(), text).body()).startsWith("{");
        }
    }

    /** Waits until the cluster can be used; returns its id. */
    private String servedCluster(Process child) throws Exception {
        int port = httpPort(child);
        try (HttpClient client = HttpClient.newHttpClient()) {
            while (get(client, port, "/readyz").statusCode() != 200) {
                awaitMoment(child);
            }
            assertThat(get(client, port, "/healthz").statusCode()).isEqualTo(200);
            String metrics = get(client, port, "/metrics").body();
            while (!metrics.contains("loop=\"arc-transfers\"")) {
                // A leader's loops begin a moment after the cluster can be used.
                awaitMoment(child);
                metrics = get(client, port, "/metrics").body();
            }
            assertThat(metrics)
                    .contains("granary_superpeer_ring_size 1.0")
                    .contains("granary_loop_failures_total{loop=\"arc-transfers\",} 0.0")
                    .contains("granary_memory_plan_used_bytes")
                    .contains("jvm_threads_current");
            String status = get(client, port, "/status").body();
            assertThat(status).contains("\"complete\":true").contains("\"reachable\":true");
            Matcher id = Pattern.compile("\"clusterId\":\"([0-9a-f-]{36})\"").matcher(status);
            assertThat(id.find()).as(status).isTrue();
            return id.group(1);
        }
    }

    private Path data() {
        return directory.resolve("data");
    }

    private Map<String, String> configuration() {
        return new HashMap<>(Map.of(
                "GRANARY_RING_BOOTSTRAP", "true",
                "GRANARY_NODE_DATA_DIR", data().toString(),
                "GRANARY_LISTEN_HOST", "127.0.0.1",
                "GRANARY_LISTEN_PORT", "0",
                "GRANARY_HTTP_HOST", "127.0.0.1",
                "GRANARY_HTTP_PORT", "0"));
    }

    private int httpPort(Process child) throws Exception {
        Path file = data().resolve("ports.json");
        while (!Files.exists(file)) {
            awaitMoment(child);
        }
        Matcher port = Pattern.compile("\"httpPort\":(\\d+)").matcher(Files.readString(file));
        assertThat(port.find()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    private void awaitMoment(Process child) throws Exception {
        assertThat(child.waitFor(20, TimeUnit.MILLISECONDS))
                .as("ended early: %s", output())
                .isFalse();
    }

    private static HttpResponse<String> get(HttpClient client, int port, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private Process start(Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-XX:MaxDirectMemorySize=256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SuperPeerMain.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("output").toFile()));
        builder.environment().putAll(environment);
        Process child = builder.start();
        children.add(child);
        return child;
    }

    private String output() throws IOException {
        Path file = directory.resolve("output");
        return Files.exists(file) ? Files.readString(file) : "";
    }
}
