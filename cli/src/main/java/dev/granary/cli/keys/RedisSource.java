package dev.granary.cli.keys;

import dev.granary.cli.base.UserException;
import dev.granary.overlay.HostAddress;
import dev.granary.resp.Reply;
import dev.granary.resp.RequestWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A connection to a server of the Redis protocol. For one thread. */
public final class RedisSource implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 30_000;

    private final HostAddress address;
    private final Socket socket = new Socket();
    private final ByteBuf received = Unpooled.buffer(1 << 16);

    /**
     * Connects.
     *
     * @param password null when the server needs none
     * @throws UserException when nobody answers there, or the password is wrong
     */
    public RedisSource(HostAddress address, @Nullable String password) {
        this.address = address;
        try {
            socket.connect(new InetSocketAddress(address.host(), address.port()), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
        } catch (IOException e) {
            throw new UserException("there is no Redis at " + address + ": " + e.getMessage(), e);
        }
        if (password != null) {
            var _ = ask(words("AUTH", password));
        }
    }

    static byte[][] words(String... words) {
        return Stream.of(words)
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
    }

    /**
     * Sends a request, and returns its reply.
     *
     * @throws UserException when the server refuses it
     */
    Reply ask(byte[]... request) {
        Reply reply = askAll(List.<byte[][]>of(request)).getFirst();
        if (reply instanceof Reply.Failure failure) {
            throw new UserException("the Redis at " + address + " refuses "
                    + new String(request[0], StandardCharsets.UTF_8) + ": " + failure.text());
        }
        return reply;
    }

    /** Sends requests in one go, and returns their replies. */
    public List<Reply> askAll(List<byte[][]> requests) {
        ByteBuf out = Unpooled.buffer();
        requests.forEach(request -> RequestWriter.write(out, request));
        try {
            out.readBytes(socket.getOutputStream(), out.readableBytes());
            List<Reply> replies = new ArrayList<>(requests.size());
            while (replies.size() < requests.size()) {
                Reply reply = Reply.read(received);
                if (reply == null) {
                    receive();
                } else {
                    replies.add(reply);
                }
            }
            return replies;
        } catch (IOException | IllegalArgumentException e) {
            throw new UserException("the connection to the Redis at " + address + " broke off: " + e.getMessage(), e);
        }
    }

    private void receive() throws IOException {
        received.discardReadBytes();
        received.ensureWritable(1 << 16);
        if (received.writeBytes(socket.getInputStream(), 1 << 16) < 0) {
            throw new EOFException("it closed the connection");
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Everything was read; nothing depends on the end of the connection.
            received.clear();
        }
    }
}
