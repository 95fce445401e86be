package dev.granary.e2e.load.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection with one request at a time and replies of RESP2. Belongs to one thread. */
final class RespConnection implements Closeable {

    private static final int CONNECT_MILLIS = (int) TimeUnit.SECONDS.toMillis(2);

    /** More than a door waits for the owner of a key. */
    private static final int REPLY_MILLIS = (int) TimeUnit.SECONDS.toMillis(20);

    /** The reply to a request is an error. */
    static final class RedisError extends IOException {
        private static final long serialVersionUID = 1;

        RedisError(String message) {
            super(message);
        }

        /** Returns the first word, such as {@code MOVED}. */
        String kind() {
            String message = String.valueOf(getMessage());
            int space = message.indexOf(' ');
            return space < 0 ? message : message.substring(0, space);
        }
    }

    private final Socket socket;
    private final InputStream in;

    private RespConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects to {@code host:port}, and logs in. */
    static RespConnection to(String address, Access access) throws IOException {
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon);
        int port = Integer.parseInt(address.substring(colon + 1));
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(REPLY_MILLIS);
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            RespConnection made = new RespConnection(access.secured(socket, host, port));
            String user = access.user();
            if (user != null) {
                made.logIn(user, access.passwords());
            }
            return made;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private void logIn(String user, List<String> passwords) throws IOException {
        for (int i = 0; ; i++) {
            try {
                var _ = call("AUTH", user, passwords.get(i));
                return;
            } catch (RedisError e) {
                if (!e.kind().equals("WRONGPASS") || i == passwords.size() - 1) {
                    throw e;
                }
            }
        }
    }

    /**
     * Returns the reply: a text for strings and numbers, null for nil, a list for an array.
     *
     * @throws RedisError for an error; the connection can be used further
     * @throws IOException when the connection is lost; whether the request was carried out is unknown
     */
    @Nullable
    Object call(String... words) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(ascii("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            request.writeBytes(ascii("$" + bytes.length + "\r\n"));
            request.writeBytes(bytes);
            request.writeBytes(ascii("\r\n"));
        }
        socket.getOutputStream().write(request.toByteArray());
        return reply();
    }

    private @Nullable Object reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+', ':' -> rest;
            case '-' -> throw new RedisError(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> array(Integer.parseInt(rest));
            default -> throw new IOException("no reply of RESP2 begins with: " + line);
        };
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || !line().isEmpty()) {
            throw new EOFException("a string of " + length + " bytes is cut off");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> array(int size) throws IOException {
        if (size < 0) {
            return null;
        }
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            items.add(reply());
        }
        return items;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection was closed");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.UTF_8);
        if (!text.endsWith("\r")) {
            throw new IOException("a line ends without CR: " + text);
        }
        return text.substring(0, text.length() - 1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
