package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.HostAddress;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpPortTest implements HttpContent {

    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);

    private final CollectorRegistry registry = Metrics.newRegistryWithJvm();
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile Optional<String> notReady = Optional.of("no lease yet");
    private volatile boolean failing;
    private volatile Optional<String> notAlive = Optional.empty();
    private HttpPort port = open();

    @Override
    public Optional<String> notAliveReason() {
        return notAlive;
    }

    @Override
    public Optional<String> notReadyReason() {
        return notReady;
    }

    @Override
    public String statusJson() {
        if (failing) {
            throw new IllegalStateException("planted");
        }
        return "{\"a\":1}";
    }

    @Override
    public CollectorRegistry metrics() {
        return registry;
    }

    @Override
    public Map<String, HttpPages> pages() {
        return Map.of("/more", (path, knownTag) -> {
            if (failing) {
                throw new IllegalStateException("planted");
            }
            return knownTag == null
                    ? HttpAnswer.text(203, path)
                    : new HttpAnswer(304, Map.of("ETag", knownTag), new byte[0]);
        });
    }

    private HttpPort open() {
        try {
            return HttpPort.open(ANY_PORT, this, Map.of(TlsPage.PATH, TlsPage.none()), HttpGate.OPEN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void fill() {
        Counter.build("granary_test_total", "A test.").register(registry).inc(3);
        Metrics.gauge(registry, "granary_test_gauge", "A test.", () -> 2.5);
        Metrics.info(registry, "granary_test_info", "A test.", () -> Map.of("nid", "0x8000"));
    }

    @AfterEach
    void close() {
        port.close();
        client.close();
    }

    @Test
    void readyz_notReadyThenReady_says503WithReasonThen200() throws Exception {
        HttpResponse<String> before = get("/readyz");
        notReady = Optional.empty();
        HttpResponse<String> after = get("/readyz");

        assertThat(before.statusCode()).isEqualTo(503);
        assertThat(before.body()).contains("no lease yet");
        assertThat(after.statusCode()).isEqualTo(200);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void healthz_aLoopStandsStill_says503WithItsName() throws Exception {
        HttpResponse<String> before = get("/healthz");
        notAlive = Optional.of("loop 'lease' has not ended a round well for 31 s");
        HttpResponse<String> after = get("/healthz");

        assertThat(before.statusCode()).isEqualTo(200);
        assertThat(before.body()).isEqualTo("ok\n");
        assertThat(after.statusCode()).isEqualTo(503);
        assertThat(after.body()).contains("'lease'");
    }

    @Test
    void metrics_plainAndOpenMetrics_areNegotiated() throws Exception {
        HttpResponse<String> plain = get("/metrics");
        HttpResponse<String> open = send("/metrics", "GET", "application/openmetrics-text; version=1.0.0");

        assertThat(plain.body())
                .contains("granary_test_total 3.0\n")
                .contains("granary_test_gauge 2.5\n")
                .contains("granary_test_info{nid=\"0x8000\",} 1.0\n")
                .contains("jvm_memory_bytes_used");
        assertThat(plain.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain; version=0.0.4");
        assertThat(open.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/openmetrics-text");
        assertThat(open.body()).endsWith("# EOF\n");
    }

    @Test
    void status_json_isServedAndAFailureIsA500() throws Exception {
        HttpResponse<String> ok = get("/status");
        failing = true;
        HttpResponse<String> failed = get("/status");

        assertThat(ok.body()).isEqualTo("{\"a\":1}\n");
        assertThat(ok.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void requests_otherMethodsAndPaths_areRefused() throws Exception {
        assertThat(send("/status", "POST", "*/*").statusCode()).isEqualTo(405);
        assertThat(send("/status", "HEAD", "*/*").statusCode()).isEqualTo(200);
        assertThat(get("/statusx").statusCode()).isEqualTo(404);
        assertThat(get("/status/x").statusCode()).isEqualTo(404);
        assertThat(get("/").statusCode()).isEqualTo(404);
    }

    @Test
    void pages_belowTheirPath_getWholePathAndTag() throws Exception {
        HttpResponse<String> answer = get("/more/a/b?c");
        HttpRequest known = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + "/more"))
                .header("If-None-Match", "\"1\"")
                .build();
        HttpResponse<String> notModified = client.send(known, HttpResponse.BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(203);
        assertThat(answer.body()).isEqualTo("/more/a/b");
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
        assertThat(notModified.statusCode()).isEqualTo(304);
        assertThat(notModified.headers().firstValue("ETag")).contains("\"1\"");
        assertThat(send("/more", "POST", "*/*").statusCode()).isEqualTo(405);
        assertThat(send("/more", "HEAD", "*/*").body()).isEmpty();
        failing = true;
        assertThat(get("/more").statusCode()).isEqualTo(500);
    }

    @Test
    void open_morePages_areServedBesideThoseOfTheContent() throws Exception {
        HttpResponse<String> answer = get(TlsPage.PATH);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("tls.directory is not set");
        assertThat(get("/more").statusCode()).isEqualTo(203);
    }

    @Test
    void open_portInUse_namesTheAddress() {
        HostAddress taken = new HostAddress("127.0.0.1", port.port());

        assertThatThrownBy(() -> HttpPort.open(taken, this))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(taken.toString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(path, "GET", "*/*");
    }

    private HttpResponse<String> send(String path, String method, String accept) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Accept", accept)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
