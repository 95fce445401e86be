package dev.granary.storage;

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

/** The real process without a super-peer. */
class StorageNodeMainTest {

    private static final long LIMIT_SECONDS = 60;

    @TempDir
    Path directory = Path.of("");

    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() {
        children.forEach(Process::destroyForcibly);
    }

    @Test
    void main_wrongConfiguration_exitsWith2AndNamesEachKey() throws Exception {
        Process child = start(Map.of("GRANARY_MEMORY_SIZE", "12", "GRANARY_HTTP_PROT", "1"));

        assertThat(child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).isEqualTo(2);
        assertThat(output())
                .contains("memory.size: the value '12' is too small; allowed: a size from 16Mi to 8Ti")
                .contains(
                        "GRANARY_HTTP_PROT: unknown key in the environment (its value is '1'); the nearest known one is"
                                + " GRANARY_HTTP_PORT")
                .contains("cluster.seeds: must be set");
    }

    @Test
    void main_noSuperPeer_waitsTellsWhyAndStopsOnSigterm() throws Exception {
        Process child = start(Map.of(
                "GRANARY_CLUSTER_SEEDS", "127.0.0.1:1",
                "GRANARY_NODE_DATA_DIR", directory.resolve("data").toString(),
                "GRANARY_LISTEN_HOST", "127.0.0.1",
                "GRANARY_LISTEN_PORT", "0",
                "GRANARY_HTTP_HOST", "127.0.0.1",
                "GRANARY_HTTP_PORT", "0",
                "GRANARY_LOG_FORMAT", "json"));
        int port = httpPort(child);
        awaitOutput(child, "waiting for a NID from the super-peers");

        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThat(get(client, port, "/healthz").statusCode()).isEqualTo(200);
            HttpResponse<String> ready = get(client, port, "/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).contains("waiting for a NID").contains("127.0.0.1:1");
            assertThat(get(client, port, "/status").body()).contains("\"valid\":false");
            assertThat(get(client, port, "/metrics").body())
                    .contains("granary_loop_failures_total{loop=\"lease\",} 0.0")
                    .contains("granary_storage_lease_valid 0.0")
                    .contains("granary_storage_memory_capacity_bytes 1.073741824E9")
                    .contains("jvm_threads_current");
        }
        child.destroy();

        assertThat(child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).isZero();
        assertThat(directory.resolve("data").resolve("ports.json")).doesNotExist();
        assertThat(directory.resolve("data").resolve("identity")).exists();
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
                .addSanUriName("spiffe://example.org/granary/c/storage")
                .buildIssuedBy(authority);
        Path files = Files.createDirectory(directory.resolve("tls"));
        Files.writeString(files.resolve("tls.crt"), own.getCertificatePathPEM());
        Files.writeString(files.resolve("tls.key"), own.getPrivateKeyPEM());
        Files.writeString(files.resolve("ca.crt"), authority.getCertificatePEM());
        Path users = Files.writeString(
                directory.resolve("users.acl"), "user default off\nuser prometheus on >pw +granary.status\n");
        Map<String, String> secured = new HashMap<>(Map.of(
                "GRANARY_CLUSTER_SEEDS", "127.0.0.1:1",
                "GRANARY_NODE_DATA_DIR", directory.resolve("data").toString(),
                "GRANARY_LISTEN_HOST", "127.0.0.1",
                "GRANARY_LISTEN_PORT", "0",
                "GRANARY_HTTP_HOST", "127.0.0.1",
                "GRANARY_HTTP_PORT", "0"));
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

    private int httpPort(Process child) throws Exception {
        Path file = directory.resolve("data").resolve("ports.json");
        while (!Files.exists(file)) {
            awaitMoment(child);
        }
        Matcher port = Pattern.compile("\"httpPort\":(\\d+)").matcher(Files.readString(file));
        assertThat(port.find()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    private void awaitOutput(Process child, String text) throws Exception {
        while (!output().contains(text)) {
            awaitMoment(child);
        }
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
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StorageNodeMain.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
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
