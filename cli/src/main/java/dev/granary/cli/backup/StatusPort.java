package dev.granary.cli.backup;

import com.sun.net.httpserver.HttpServer;
import dev.granary.cli.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Tells other programs how far a backup or its restoration is: {@code GET /progress} gives JSON. */
public final class StatusPort implements AutoCloseable {

    private final HttpServer server;

    private StatusPort(HttpServer server) {
        this.server = server;
    }

    /** Listens on all addresses. */
    public static StatusPort open(int port, BackupProgress progress) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
            server.createContext("/progress", exchange -> {
                byte[] body = Json.compact(progress.toMap()).getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            server.start();
            return new StatusPort(server);
        } catch (IOException e) {
            throw new BackupException("port " + port + " cannot be listened on: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
