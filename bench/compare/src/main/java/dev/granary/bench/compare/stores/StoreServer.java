package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.JsonLines;
import dev.granary.bench.stores.ServerReady;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The process of a store that is a Java library. It prints a {@link ServerReady} and ends with its input. Each store
 * keeps one copy of its objects and evicts nothing.
 */
public final class StoreServer {

    /** The name of the map or cache with the objects. */
    static final String OBJECTS = "objects";

    static final String LOOPBACK = "127.0.0.1";

    private StoreServer() {}

    /**
     * Runs a server.
     *
     * @param arguments {@code hazelcast}, {@code infinispan} or {@code ignite}; bytes for objects outside the heap; an
     *     empty directory
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream results = System.out;
        // Some stores print greetings on standard output.
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        long bytes = Long.parseLong(arguments[1]);
        int port = freePort();
        String version =
                switch (arguments[0]) {
                    case "hazelcast" -> HazelcastServer.start(port);
                    case "infinispan" -> InfinispanServer.start(port);
                    case "ignite" -> IgniteServer.start(port, bytes, arguments[2]);
                    default -> throw new IllegalArgumentException("no store '" + arguments[0] + "'");
                };
        results.println(JsonLines.write(new ServerReady(
                LOOPBACK + ":" + port, version, List.of(ProcessHandle.current().pid()), List.of())));
        while (System.in.read() >= 0) {
            // Nothing is told; the end is what counts.
        }
        // Servers have threads that would keep the process, and their orderly end takes seconds.
        Runtime.getRuntime().halt(0);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
