package dev.granary.keyed.compare;

import dev.granary.keyed.LocalKeys;
import dev.granary.resp.Protocol;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A connection to the redis-server whose socket the system property {@code granary.redis.socket} names. */
final class RedisConnection implements AutoCloseable {

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocate(1 << 16);
    private byte[] received = new byte[1 << 16];
    private int length;

    RedisConnection(Protocol protocol) throws IOException {
        String socket = System.getProperty("granary.redis.socket");
        if (socket == null) {
            throw new IllegalStateException("no redis-server; run libs/keyed/compare-with-redis");
        }
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        answers(List.of(LocalKeys.request("HELLO", String.valueOf(protocol.number()))));
    }

    /** Sends requests one behind the other, and returns their replies. */
    List<Reply> answers(List<byte[]> requests) throws IOException {
        for (byte[] request : requests) {
            for (ByteBuffer out = ByteBuffer.wrap(request); out.hasRemaining(); ) {
                channel.write(out);
            }
        }
        length = 0;
        List<Reply> replies = new ArrayList<>();
        int at = 0;
        while (replies.size() < requests.size()) {
            Reply reply = Reply.read(received, at, length);
            if (reply == null) {
                receive(replies.size());
            } else {
                replies.add(reply);
                at = reply.end();
            }
        }
        return replies;
    }

    private void receive(int replies) throws IOException {
        if (channel.read(in.clear()) < 0) {
            throw new IOException("redis-server closed the connection after " + replies + " replies");
        }
        int more = in.flip().remaining();
        if (length + more > received.length) {
            received = Arrays.copyOf(received, 2 * received.length + more);
        }
        in.get(received, length, more);
        length += more;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
