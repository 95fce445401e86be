package dev.granary.tools.bench.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a store for its figures and settings, one request at a time, over a connection of its own. */
final class TextClient implements AutoCloseable {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    TextClient(InetSocketAddress address) throws IOException {
        socket = new Socket();
        try {
            socket.connect(address, CONNECT_MILLIS);
            socket.setSoTimeout(ANSWER_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a command of Redis that is answered by a status, a number or a text.
     *
     * @throws RefusedException when it is answered by an error
     */
    String redis(String... arguments) throws IOException {
        StringBuilder request = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            request.append('$')
                    .append(argument.length())
                    .append("\r\n")
                    .append(argument)
                    .append("\r\n");
        }
        send(request.toString());
        String line = line();
        switch (line.charAt(0)) {
            case '-' -> throw new RefusedException(String.join(" ", arguments) + ": " + line.substring(1));
            case '$' -> {
                byte[] text = in.readNBytes(Integer.parseInt(line.substring(1)));
                line();
                return new String(text, StandardCharsets.UTF_8);
            }
            default -> {
                return line.substring(1);
            }
        }
    }

    /** A field of a section of INFO. */
    String info(String section, String field) throws IOException {
        return redis("INFO", section)
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElseThrow(() -> new RefusedException("INFO " + section + " has no " + field));
    }

    /** Sends a command of memcached that is answered by one line. */
    String memcached(String command) throws IOException {
        send(command + "\r\n");
        return line();
    }

    /** A field of one of memcached's statistics. */
    String statistic(String command, String field) throws IOException {
        String found = null;
        send(command + "\r\n");
        for (String line = line(); !line.equals("END"); line = line()) {
            if (line.startsWith("STAT " + field + " ")) {
                found = line.substring("STAT  ".length() + field.length());
            } else if (!line.startsWith("STAT ")) {
                throw new RefusedException(command + ": " + line);
            }
        }
        if (found == null) {
            throw new RefusedException("'" + command + "' has no " + field);
        }
        return found;
    }

    private void send(String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the store has closed the connection");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
