package dev.granary.raft;

import dev.granary.env.Environment;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Takes messages to other members over connections of the simulated network; mangles them on request. */
final class PeerLinks implements MessageSender, ConnectionHandler {

    static final int PORT = 9000;

    private static final long MAX_DELAY_NANOS = 60_000_000;

    private final Environment environment;
    private final Transport transport;
    private final Function<MemberId, HostAddress> addresses;
    private final boolean mangling;
    private final TreeMap<MemberId, Connection> links = new TreeMap<>();
    private final TreeMap<MemberId, Boolean> opening = new TreeMap<>();
    private @Nullable Consumer<byte[]> receiver;

    PeerLinks(
            Environment environment, Transport transport, Function<MemberId, HostAddress> addresses, boolean mangling) {
        this.environment = environment;
        this.transport = transport;
        this.addresses = addresses;
        this.mangling = mangling;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the simulated network does not refuse to listen
    void listen(String host, Consumer<byte[]> newReceiver) {
        receiver = newReceiver;
        transport.listen(new HostAddress(host, PORT), connection -> this).exceptionally(failure -> {
            throw new IllegalStateException("cannot listen on " + host, failure);
        });
    }

    @Override
    public void send(MemberId to, byte[] message) {
        if (!mangling) {
            transmit(to, message);
            return;
        }
        int copies = environment.random().nextInt(20) == 0
                ? 0
                : 1 + environment.random().nextInt(20) / 19;
        for (int i = 0; i < copies; i++) {
            boolean late = environment.random().nextInt(10) == 0;
            long delayNanos = late ? environment.random().nextLong(MAX_DELAY_NANOS) : 0;
            environment.scheduler().schedule(delayNanos, () -> transmit(to, message));
        }
    }

    private void transmit(MemberId to, byte[] message) {
        Connection link = links.get(to);
        if (link != null) {
            if (link.isWritable()) {
                link.send(link.allocator().buffer(message.length).writeBytes(message));
            }
        } else if (opening.putIfAbsent(to, true) == null) {
            open(to, message);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the next message tries again
    private void open(MemberId to, byte[] message) {
        transport.connect(addresses.apply(to), this).whenComplete((connection, failure) -> {
            opening.remove(to);
            if (connection != null) {
                links.put(to, connection);
                transmit(to, message);
            }
        });
    }

    @Override
    public void onFrame(Connection connection, ByteBuf frame) {
        if (receiver != null) {
            receiver.accept(ByteBufUtil.getBytes(frame));
        }
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
        links.values().removeIf(link -> link == connection);
    }
}
