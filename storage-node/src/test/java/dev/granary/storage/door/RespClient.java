package dev.granary.storage.door;

import dev.granary.overlay.HostAddress;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A client of the Redis protocol. Replies are text, in which each byte is a character of its own: {@code +OK},
 * {@code -ERR why}, {@code :7}, {@code 'bulk'}, {@code nil}, {@code [array elements]}, {@code {map: value}}.
 */
final class RespClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    RespClient(HostAddress address) throws IOException {
        socket = new Socket();
        socket.setReceiveBufferSize(64 << 10);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(address.host(), address.port()), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** A client on a socket that is connected, and is closed with it. */
    RespClient(Socket connected) throws IOException {
        socket = connected;
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** Returns the bytes of a request. */
    static byte[] request(String... arguments) {
        StringBuilder text = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            text.append('$')
                    .append(argument.length())
                    .append("\r\n")
                    .append(argument)
                    .append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Sends a request, and returns its reply. */
    String ask(String... arguments) throws IOException {
        send(request(arguments));
        return read();
    }

    /** Sends words with blanks between them, and returns the reply. */
    String words(String words) throws IOException {
        return ask(words.split(" ", -1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Sends nothing more. */
    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    int localPort() {
        return socket.getLocalPort();
    }

    /** Returns whether the door has closed the connection; waits for bytes or the end. */
    boolean isClosed() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    List<String> read(int replies) throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < replies; i++) {
            all.add(read());
        }
        return all;
    }

    /** Reads the next reply. */
    String read() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '$' -> rest.equals("-1") ? "nil" : "'" + bytes(Integer.parseInt(rest)) + "'";
            case '=' -> bytes(Integer.parseInt(rest));
            case '*' -> rest.equals("-1") ? "nil" : "[" + elements(Integer.parseInt(rest), " ") + "]";
            case '~' -> "~[" + elements(Integer.parseInt(rest), " ") + "]";
            case '>' -> ">[" + elements(Integer.parseInt(rest), " ") + "]";
            case '%' -> {
                List<String> entries = new ArrayList<>();
                for (int i = 0; i < Integer.parseInt(rest); i++) {
                    entries.add(read() + ": " + read());
                }
                yield "{" + String.join(", ", entries) + "}";
            }
            case '_' -> "nil";
            default -> line;
        };
    }

    private String elements(int count, String between) throws IOException {
        return String.join(between, read(count));
    }

    private String bytes(int length) throws IOException {
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("closed within a reply");
        }
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
    public void close() throws IOException {
        socket.close();
    }
}
