package dev.granary.tools.bench.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections that are opened from other addresses of this machine, send something, and stay. Those that the server
 * closes are opened again, a few each tenth of a second.
 */
final class Crowd implements Attack {

    /** What a crowd does besides. */
    enum Manner {
        /** It sends its bytes once. */
        ONCE,
        /** It sends them again and again, as long as the server takes them, and reads nothing. */
        WITHOUT_READING
    }

    private static final int ADDRESSES = 8;
    private static final int OPENED_AT_ONCE = 300;
    private static final long TICK_MILLIS = 100;

    private final List<InetSocketAddress> ports;
    private final int connections;
    private final byte[] bytes;
    private final Manner manner;
    private final ArrayDeque<SocketChannel> open = new ArrayDeque<>();
    private final ByteBuffer sink = ByteBuffer.allocate(1 << 10);
    private final Thread thread = new Thread(this::run, "crowd");
    private volatile boolean ends;
    private int opened;

    Crowd(List<InetSocketAddress> ports, int connections, byte[] bytes, Manner manner) {
        this.ports = ports;
        this.connections = connections;
        this.bytes = bytes;
        this.manner = manner;
    }

    @Override
    public void begin() {
        thread.start();
    }

    private void run() {
        try {
            while (!ends) {
                open.removeIf(channel -> !isOpen(channel));
                for (int i = 0; i < OPENED_AT_ONCE && open.size() < connections && !ends; i++) {
                    SocketChannel channel = connect();
                    if (channel != null) {
                        open.add(channel);
                    }
                }
                TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.forEach(Crowd::close);
        }
    }

    private @Nullable SocketChannel connect() {
        InetSocketAddress port = ports.get(opened % ports.size());
        byte[] source = {127, 0, 0, (byte) (2 + opened % ADDRESSES)};
        opened++;
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.bind(new InetSocketAddress(InetAddress.getByAddress(source), 0));
            channel.connect(port);
            channel.configureBlocking(false);
            channel.write(ByteBuffer.wrap(bytes));
            return channel;
        } catch (IOException e) {
            // Refused: it comes again.
            close(channel);
            return null;
        }
    }

    /** Does what an open connection does in a tick; false when the server has closed it. */
    private boolean isOpen(SocketChannel channel) {
        try {
            if (manner == Manner.WITHOUT_READING) {
                while (channel.write(ByteBuffer.wrap(bytes)) == bytes.length && !ends) {
                    // The network takes more.
                }
                return true;
            }
            sink.clear();
            if (channel.read(sink) >= 0) {
                return true;
            }
        } catch (IOException e) {
            // Closed, too.
        }
        close(channel);
        return false;
    }

    private static void close(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // It is gone in any case.
        }
    }

    @Override
    public void close() {
        ends = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
