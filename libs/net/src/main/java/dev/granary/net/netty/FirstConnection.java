package dev.granary.net.netty;

import dev.granary.net.access.ClusterSecret;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.HandshakeMessages.Prove;
import dev.granary.net.message.HandshakeMessages.ProveReply;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.RecordCodec;
import io.netty.channel.epoll.Epoll;
import java.util.List;

/**
 * What the first connection of a process needs and later ones have: buffers, epoll, the proof of a secret, the codecs
 * of the first messages. A process that lives for half a second readies it beside its other work (ADR 0375).
 */
public final class FirstConnection {

    /** In the order in which a client sends and receives them. */
    private static final List<Class<? extends Record>> MESSAGES =
            List.of(Hello.class, HelloReply.class, Prove.class, ProveReply.class, RingReply.class, PeerList.class);

    private FirstConnection() {}

    /** Readies it on this thread. Any thread may do so, beside others that connect. */
    public static void ready() {
        var _ = NettyOptions.defaults();
        var _ = Epoll.isAvailable();
        ClusterSecret.ready();
        // Addresses are keys of maps, and a record makes its equals when it is asked for the first time.
        var _ = new HostAddress("localhost", 1).equals(new HostAddress("localhost", 2));
        MESSAGES.forEach(RecordCodec::of);
    }
}
