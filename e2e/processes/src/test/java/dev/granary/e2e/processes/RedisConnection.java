package dev.granary.e2e.processes;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A client of the Redis protocol that knows nothing of Granary. Replies are text: {@code nil} for nothing, elements of
 * arrays with blanks between, errors with their minus.
 */
final class RedisConnection implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    RedisConnection(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request, and returns its reply. */
    String ask(String... arguments) {
        StringBuilder request = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            request.append('$').append(argument.length()).append("\r\n");
            request.append(argument).append("\r\n");
        }
        try {
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            return read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String read() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '$' -> rest.equals("-1") ? "nil" : bytes(Integer.parseInt(rest));
            case '*' -> elements(Integer.parseInt(rest));
            case '-' -> line;
            default -> rest;
        };
    }

    private String elements(int count) throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(read());
        }
        return String.join(" ", all);
    }

    private String bytes(int length) throws IOException {
        byte[] bytes = in.readNBytes(length + 2);
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    private String line() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int letter = in.read(); letter != '\r'; letter = in.read()) {
            if (letter < 0) {
                throw new EOFException("closed behind '" + text + "'");
            }
            text.append((char) letter);
        }
        if (in.read() != '\n') {
            throw new IOException("no line feed behind '" + text + "'");
        }
        return text.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
