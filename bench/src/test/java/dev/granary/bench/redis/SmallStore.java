package dev.granary.bench.redis;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A server with GET, SET, SETEX and DEL on a map, whose replies come in pieces of a few bytes. */
final class SmallStore implements AutoCloseable {

    private static final int PIECE_BYTES = 7;

    final Map<String, byte[]> keys = new ConcurrentHashMap<>();
    /** So many of the next requests are answered by an error. */
    final AtomicInteger errors = new AtomicInteger();

    /** Whether a connection is closed at its next request. */
    volatile boolean closes;

    final AtomicInteger connections = new AtomicInteger();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    SmallStore() throws IOException {
        Thread.ofPlatform().daemon().start(this::accept);
    }

    List<InetSocketAddress> addresses() {
        return List.of(new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort()));
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                connections.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> serve(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            for (String line = line(in); !line.isEmpty() && !closes; line = line(in)) {
                byte[][] arguments = new byte[Integer.parseInt(line.substring(1))][];
                for (int i = 0; i < arguments.length; i++) {
                    arguments[i] = in.readNBytes(Integer.parseInt(line(in).substring(1)));
                    line(in);
                }
                byte[] reply = reply(arguments);
                for (int from = 0; from < reply.length; from += PIECE_BYTES) {
                    out.write(reply, from, Math.min(PIECE_BYTES, reply.length - from));
                }
            }
        } catch (IOException closed) {
            // The driver is done.
        }
    }

    private byte[] reply(byte[][] arguments) {
        if (errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return ascii("-TRYAGAIN not now\r\n");
        }
        String key = new String(arguments[1], StandardCharsets.US_ASCII);
        switch (new String(arguments[0], StandardCharsets.US_ASCII)) {
            case "GET" -> {
                byte[] value = keys.get(key);
                return value == null ? ascii("$-1\r\n") : bulk(value);
            }
            case "SET", "SETEX" -> {
                keys.put(key, arguments[arguments.length - 1]);
                return ascii("+OK\r\n");
            }
            case "DEL" -> {
                return ascii(keys.remove(key) == null ? ":0\r\n" : ":1\r\n");
            }
            default -> {
                return ascii("-ERR unknown command\r\n");
            }
        }
    }

    private static byte[] bulk(byte[] value) {
        byte[] head = ascii("$" + value.length + "\r\n");
        byte[] all = new byte[head.length + value.length + 2];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(value, 0, all, head.length, value.length);
        all[all.length - 2] = '\r';
        all[all.length - 1] = '\n';
        return all;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A line without its end; empty at the end of the connection. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
