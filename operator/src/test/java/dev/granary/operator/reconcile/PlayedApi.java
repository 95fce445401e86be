package dev.granary.operator.reconcile;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** An API server that answers as a test says, for errors that a real one does not make when asked to. */
public final class PlayedApi implements AutoCloseable {
    /** A request of the client. */
    public record Request(String method, String path, String query, String body) {}

    /**
     * An answer.
     *
     * @param open whether more of the body may follow, as with a watch
     */
    public record Reply(int code, String body, boolean open) {
        public static Reply of(int code, String body) {
            return new Reply(code, body, false);
        }

        /** An error as the API server tells it. */
        public static Reply error(int code, String reason) {
            return of(
                    code,
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"%s\",\"message\":\"%s\",\"code\":%d}"
                            .formatted(reason, reason, code));
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Collection<Request> requests = new ConcurrentLinkedQueue<>();
    private final Function<Request, Reply> answers;
    private final KubernetesClient client;

    /** Starts a server with these answers. */
    public PlayedApi(Function<Request, Reply> answers) throws IOException {
        this.answers = answers;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .withWatchReconnectInterval(50)
                        .build())
                .build();
    }

    /** Returns a client of the server. */
    public KubernetesClient client() {
        return client;
    }

    /** Returns all requests so far. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try {
            if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
                // No WebSockets here: the client goes on with plain HTTP.
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
                return;
            }
            String query = exchange.getRequestURI().getQuery();
            Request request = new Request(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath(),
                    query == null ? "" : query,
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            requests.add(request);
            Reply reply = answers.apply(request);
            byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(reply.code(), reply.open() ? 0 : body.length);
            exchange.getResponseBody().write(body);
            exchange.getResponseBody().flush();
            if (!reply.open()) {
                exchange.close();
            }
        } catch (IOException | UncheckedIOException e) {
            exchange.close();
            throw e;
        }
    }

    @Override
    public void close() {
        client.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
