package dev.granary.process;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.granary.overlay.HostAddress;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP port of a process: {@code /healthz} (200, or 503 with the reason why the process must be restarted),
 * {@code /readyz} (200, or 503 with the reason), {@code /metrics} (Prometheus text or, when asked for, OpenMetrics) and
 * {@code /status} (JSON), and the pages that the process has besides. Only GET and HEAD. Each request has a virtual
 * thread of its own, so that a slow reader holds up nobody.
 */
public final class HttpPort implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpPort.class);

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json";

    private final HttpServer server;
    private final ExecutorService executor;

    private HttpPort(HttpServer server, ExecutorService executor) {
        this.server = server;
        this.executor = executor;
    }

    /**
     * Opens the port.
     *
     * @param bind where to listen; port 0 takes any free port
     * @throws IOException naming the address when it cannot be listened on
     */
    public static HttpPort open(HostAddress bind, HttpContent content) throws IOException {
        return open(bind, content, Map.of());
    }

    /**
     * Opens the port with more pages than the content has.
     *
     * @param more pages, by the path below which each lies
     * @throws IOException naming the address when it cannot be listened on
     */
    public static HttpPort open(HostAddress bind, HttpContent content, Map<String, HttpPages> more) throws IOException {
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(bind.host(), bind.port()), 0);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + bind + " for HTTP: " + e.getMessage(), e);
        }
        ExecutorService executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("http-", 0).factory());
        server.setExecutor(executor);
        server.createContext("/", guarded(exchange -> answer(exchange, 404, TEXT, "not found: try /status\n")));
        server.createContext("/healthz", handler("/healthz", exchange -> alive(exchange, content)));
        server.createContext("/readyz", handler("/readyz", exchange -> ready(exchange, content)));
        server.createContext("/metrics", handler("/metrics", exchange -> metrics(exchange, content)));
        server.createContext(
                "/status", handler("/status", exchange -> answer(exchange, 200, JSON, content.statusJson() + "\n")));
        BiConsumer<String, HttpPages> add =
                (path, pages) -> server.createContext(path, guarded(exchange -> show(exchange, pages)));
        content.pages().forEach(add);
        more.forEach(add);
        server.start();
        return new HttpPort(server, executor);
    }

    /** The port on which it listens. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Stops listening and ends the requests in progress. */
    @Override
    public void close() {
        server.stop(0);
        executor.close();
    }

    private static void alive(HttpExchange exchange, HttpContent content) throws IOException {
        Optional<String> reason = content.notAliveReason();
        if (reason.isEmpty()) {
            answer(exchange, 200, TEXT, "ok\n");
        } else {
            answer(exchange, 503, TEXT, "not alive: " + reason.get() + "\n");
        }
    }

    private static void ready(HttpExchange exchange, HttpContent content) throws IOException {
        Optional<String> reason = content.notReadyReason();
        if (reason.isEmpty()) {
            answer(exchange, 200, TEXT, "ready\n");
        } else {
            answer(exchange, 503, TEXT, "not ready: " + reason.get() + "\n");
        }
    }

    private static void metrics(HttpExchange exchange, HttpContent content) throws IOException {
        String contentType =
                TextFormat.chooseContentType(exchange.getRequestHeaders().getFirst("Accept"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(16_384);
        try (Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8)) {
            TextFormat.writeFormat(contentType, writer, content.metrics().metricFamilySamples());
        }
        answer(exchange, 200, contentType, bytes.toByteArray());
    }

    private static void show(HttpExchange exchange, HttpPages pages) throws IOException {
        HttpAnswer answer = pages.answer(
                exchange.getRequestURI().getPath(), exchange.getRequestHeaders().getFirst("If-None-Match"));
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        send(exchange, answer.code(), answer.body());
    }

    /** Refuses longer paths, which jdk.httpserver would pass on. */
    private static HttpHandler handler(String path, HttpHandler handler) {
        return guarded(exchange -> {
            if (exchange.getRequestURI().getPath().equals(path)) {
                handler.handle(exchange);
            } else {
                answer(exchange, 404, TEXT, "not found: try " + path + "\n");
            }
        });
    }

    /** Refuses other methods, and answers failures with 500. */
    private static HttpHandler guarded(HttpHandler handler) {
        return exchange -> {
            try (exchange) {
                String method = exchange.getRequestMethod();
                if (!method.equals("GET") && !method.equals("HEAD")) {
                    exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                    answer(exchange, 405, TEXT, "only GET and HEAD are allowed\n");
                } else {
                    answerOrFail(exchange, handler);
                }
            }
        };
    }

    private static void answerOrFail(HttpExchange exchange, HttpHandler handler) throws IOException {
        try {
            handler.handle(exchange);
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("path", exchange.getRequestURI())
                    .log("HTTP request failed");
            if (exchange.getResponseCode() < 0) {
                answer(exchange, 500, TEXT, "internal failure, see the log\n");
            }
        }
    }

    private static void answer(HttpExchange exchange, int code, String contentType, String body) throws IOException {
        answer(exchange, code, contentType, body.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int code, String contentType, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", contentType);
        send(exchange, code, body);
    }

    private static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        if (exchange.getRequestMethod().equals("HEAD") || body.length == 0) {
            exchange.sendResponseHeaders(code, -1);
        } else {
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
