package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import dev.granary.e2e.kubernetes.program.Program;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A real Prometheus on this machine. It scrapes pods through {@code kubectl proxy}, so it works with any cluster and
 * any login, and needs no way into the pods' network. Close ends it.
 */
final class PrometheusServer implements AutoCloseable {

    private static final Pattern PROXY_ADDRESS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

    private final Process proxy;
    private final Process prometheus;
    private final Path folder;
    private final String proxyAddress;
    private final String address;
    private final Instant startedAt = Instant.now();
    private final HttpClient http = HttpClient.newHttpClient();

    private PrometheusServer(Process proxy, Process prometheus, Path folder, String proxyAddress, String address) {
        this.proxy = proxy;
        this.prometheus = prometheus;
        this.folder = folder;
        this.proxyAddress = proxyAddress;
        this.address = address;
    }

    /**
     * Starts Prometheus with the rules.
     *
     * @param folder takes its data and logs
     * @param pauseSeconds how often it scrapes, and evaluates the rules
     */
    static PrometheusServer start(Target target, Path folder, String rules, int pauseSeconds) throws Exception {
        Files.createDirectories(folder);
        Path proxyLog = folder.resolve("proxy.log");
        Process proxy = target.kubectl().start(proxyLog.toFile(), "proxy", "--port=0", "--address=127.0.0.1");
        try {
            Target.await("kubectl proxy listens", Duration.ofSeconds(20), () -> PROXY_ADDRESS
                    .matcher(Files.readString(proxyLog))
                    .find());
            Matcher matcher = PROXY_ADDRESS.matcher(Files.readString(proxyLog));
            Check.that(matcher.find(), "no port in %s", proxyLog);
            Files.writeString(
                    folder.resolve("prometheus.yaml"),
                    Resources.read(Resources.PROMETHEUS).replace("@PAUSE@", pauseSeconds + "s"));
            Files.writeString(folder.resolve("rules.yaml"), rules);
            String address = "127.0.0.1:" + freePort();
            Process prometheus = new Program(target.options().prometheus(), List.of())
                    .start(
                            folder.resolve("prometheus.log").toFile(),
                            "--config.file=" + folder.resolve("prometheus.yaml"),
                            "--storage.tsdb.path=" + folder.resolve("data"),
                            "--web.listen-address=" + address);
            PrometheusServer server = new PrometheusServer(proxy, prometheus, folder, matcher.group(), address);
            server.awaitReady();
            return server;
        } catch (Exception | AssertionError e) {
            proxy.destroy();
            throw e;
        }
    }

    /** From now on scrapes only these pods, each on the port that its annotation names. */
    synchronized void scrape(List<Pod> pods) throws IOException {
        List<Map<String, Object>> targets = new ArrayList<>();
        for (Pod pod : pods) {
            String port = pod.getMetadata().getAnnotations().get("prometheus.io/port");
            Map<String, String> podLabels = pod.getMetadata().getLabels();
            Map<String, String> labels = new TreeMap<>();
            labels.put(
                    "__metrics_path__",
                    "/api/v1/namespaces/%s/pods/%s:%s/proxy/metrics"
                            .formatted(
                                    pod.getMetadata().getNamespace(),
                                    pod.getMetadata().getName(),
                                    port));
            labels.put("instance", pod.getStatus().getPodIP() + ":" + port);
            labels.put("namespace", pod.getMetadata().getNamespace());
            labels.put("pod", pod.getMetadata().getName());
            labels.put("granary", podLabels.getOrDefault("granary.dev/cluster", ""));
            labels.put("component", podLabels.getOrDefault("app.kubernetes.io/component", ""));
            targets.add(Map.of("targets", List.of(proxyAddress), "labels", labels));
        }
        // Prometheus watches the folder and must never see half a file.
        Path part = folder.resolve("targets.part");
        Files.writeString(part, Formats.JSON.writeValueAsString(targets));
        Files.move(part, folder.resolve("targets.json"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns host and port. */
    String address() {
        return address;
    }

    /** Returns when it began to scrape. */
    Instant startedAt() {
        return startedAt;
    }

    /** Returns the result of an instant query: a list of series, each with {@code metric} and {@code value}. */
    JsonNode query(String expression) throws IOException, InterruptedException {
        return data("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .path("result");
    }

    /** Returns the rules with their state and health. */
    JsonNode rules() throws IOException, InterruptedException {
        return data("/api/v1/rules");
    }

    /** Returns the alerts that fire or are pending, each with its labels. */
    JsonNode alerts() throws IOException, InterruptedException {
        return data("/api/v1/alerts").path("alerts");
    }

    /** Returns the active targets with their health and last error. */
    JsonNode activeTargets() throws IOException, InterruptedException {
        return data("/api/v1/targets?state=active").path("activeTargets");
    }

    private JsonNode data(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        JsonNode json = Target.json(response.body());
        Check.that("success".equals(json.path("status").asText()), "Prometheus refused %s: %s", path, json);
        return json.path("data");
    }

    private void awaitReady() throws Exception {
        try {
            Target.await("Prometheus is ready", Duration.ofSeconds(30), this::isReady);
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private boolean isReady() throws InterruptedException {
        Check.that(prometheus.isAlive(), "Prometheus ended: see its log");
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (IOException e) {
            return false; // it does not listen yet
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + path))
                .timeout(Duration.ofSeconds(30))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        for (Process process : List.of(prometheus, proxy)) {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        http.close();
    }
}
