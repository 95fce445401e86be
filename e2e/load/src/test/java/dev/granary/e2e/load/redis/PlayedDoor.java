package dev.granary.e2e.load.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/** A server with GET and SET that can be told to misbehave, which no real one can. */
final class PlayedDoor implements AutoCloseable {

    /** Carries the next request out, and closes the connection without a reply. */
    static final String CLOSE = "close";

    /** Answers the next SET, and forgets it. */
    static final String FORGET = "forget";

    private final ServerSocket server;
    private final Map<String, String> values;
    private final Deque<String> next = new ConcurrentLinkedDeque<>();
    private final Deque<String> nextSets = new ConcurrentLinkedDeque<>();
    private final List<String> requests = new ArrayList<>();

    /** A door with the values of others. */
    PlayedDoor(Map<String, String> values) throws IOException {
        this.values = values;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    PlayedDoor() throws IOException {
        this(new ConcurrentHashMap<>());
    }

    Map<String, String> values() {
        return values;
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Answers errors to the next requests for keys. */
    void next(String... errors) {
        next.addAll(List.of(errors));
    }

    /** What becomes of the next SETs: an error to answer, {@link #CLOSE} or {@link #FORGET}. */
    void nextSets(String... deeds) {
        nextSets.addAll(List.of(deeds));
    }

    boolean isDone() {
        return next.isEmpty() && nextSets.isEmpty();
    }

    synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    private synchronized void note(String request) {
        requests.add(request);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void serve(Socket socket) {
        try (socket;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            List<String> request = read(in);
            while (request != null) {
                note(String.join(" ", request));
                String reply = reply(request);
                if (reply == null) {
                    return;
                }
                socket.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
                request = read(in);
            }
        } catch (IOException e) {
            note("lost: " + e);
        }
    }

    private static @Nullable List<String> read(BufferedReader in) throws IOException {
        String head = in.readLine();
        if (head == null) {
            return null;
        }
        List<String> words = new ArrayList<>();
        for (int i = Integer.parseInt(head.substring(1)); i > 0; i--) {
            in.readLine();
            words.add(in.readLine());
        }
        return words;
    }

    /** Returns a reply; null to close the connection. */
    private @Nullable String reply(List<String> request) {
        if (request.getFirst().equals("CLUSTER")) {
            return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + server.getLocalPort() + "\r\n";
        }
        String deed = request.getFirst().equals("SET") && next.isEmpty() ? nextSets.pollFirst() : next.pollFirst();
        if (deed != null && !deed.equals(CLOSE) && !deed.equals(FORGET)) {
            return "-" + deed + "\r\n";
        }
        String reply = carryOut(request, FORGET.equals(deed));
        return CLOSE.equals(deed) ? null : reply;
    }

    private String carryOut(List<String> request, boolean forget) {
        if (request.getFirst().equals("SET")) {
            if (!forget) {
                values.put(request.get(1), request.get(2));
            }
            return "+OK\r\n";
        }
        String value = values.get(request.get(1));
        return value == null ? "$-1\r\n" : "$" + value.length() + "\r\n" + value + "\r\n";
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
