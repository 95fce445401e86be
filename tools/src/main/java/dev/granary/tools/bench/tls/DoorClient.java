package dev.granary.tools.bench.tls;

import dev.granary.overlay.HostAddress;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A Redis client that gets one key again and again, with the TLS of the JDK or without. */
final class DoorClient implements AutoCloseable {

    private static final String KEY = "bench";
    private static final int SOCKET_MILLIS = 30_000;
    private static final int BUFFER_BYTES = 64 << 10;

    private final Socket socket;
    private final InputStream in;
    private final byte[] request;
    private final int replyBytes;

    /**
     * Connects, and sets the key.
     *
     * @param files directory of the client's certificate; null without TLS
     * @param valueBytes how long the value is
     */
    DoorClient(HostAddress door, @Nullable Path files, int valueBytes) throws IOException {
        this.socket = files == null ? new Socket(door.host(), door.port()) : secured(door, files);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(SOCKET_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
        this.request = request("GET", KEY);
        this.replyBytes = ("$" + valueBytes + "\r\n\r\n").length() + valueBytes;
        socket.getOutputStream().write(request("SET", KEY, "v".repeat(valueBytes)));
        expect("+OK\r\n".length());
    }

    private static Socket secured(HostAddress door, Path files) throws IOException {
        JdkSslContext context = (JdkSslContext) SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .keyManager(
                        files.resolve("tls.crt").toFile(),
                        files.resolve("tls.key").toFile())
                .trustManager(files.resolve("ca.crt").toFile())
                .build();
        return context.context().getSocketFactory().createSocket(door.host(), door.port());
    }

    private static byte[] request(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Gets the key as often as it is told, by one write. */
    void get(int pipeline) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(pipeline * request.length);
        for (int i = 0; i < pipeline; i++) {
            all.write(request);
        }
        socket.getOutputStream().write(all.toByteArray());
        expect(pipeline * replyBytes);
    }

    private void expect(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("the door has closed the connection");
        }
        if (read[0] == '-') {
            throw new IOException("the door has answered an error");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
