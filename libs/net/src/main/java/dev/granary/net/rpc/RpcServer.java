package dev.granary.net.rpc;

import dev.granary.env.SystemClock;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.Entrance;
import dev.granary.net.access.NodePorts;
import dev.granary.net.access.Users;
import dev.granary.overlay.HostAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of accepted connections; it is passed to {@link Transport#listen}. Each connection starts with a
 * hello. In it both sides check that they belong to one cluster and that this is the expected node. The server answers
 * nothing else before. Bytes that are not a valid frame close the connection; a payload that cannot be read is answered
 * with BAD_REQUEST, a request that the caller's roles may not send, or not at this port, with NOT_PERMITTED.
 * Thread-safe.
 */
public final class RpcServer implements Transport.Acceptor {

    private final RpcIdentity identity;
    private final RequestHandler handler;
    private final AccessLog denials;
    private final @Nullable Users users;
    private final Entrance entrance;

    /** A server with a log of denials of its own. */
    public RpcServer(RpcIdentity identity, RequestHandler handler) {
        this(identity, handler, new AccessLog(new SystemClock()));
    }

    /** @param denials is told of the callers and requests that are refused because of who the caller is */
    public RpcServer(RpcIdentity identity, RequestHandler handler, AccessLog denials) {
        this(identity, handler, denials, null);
    }

    /**
     * The same for a node with users.
     *
     * @param users say what clients may do that have proved nothing; null when there are none
     */
    public RpcServer(RpcIdentity identity, RequestHandler handler, AccessLog denials, @Nullable Users users) {
        this(identity, handler, denials, users, Entrance.EVERYTHING);
    }

    private RpcServer(
            RpcIdentity identity, RequestHandler handler, AccessLog denials, @Nullable Users users, Entrance entrance) {
        this.identity = identity;
        this.handler = handler;
        this.denials = denials;
        this.users = users;
        this.entrance = entrance;
    }

    /**
     * Listens at the port that the node advertises, and at the other ports of the cluster on the same local address.
     *
     * @param bind where the node listens; port 0 takes any free port
     * @return that address, once all ports are open; or the failure of one
     */
    public CompletableFuture<HostAddress> listen(Transport transport, HostAddress bind, NodePorts ports) {
        RpcServer first = at(ports.advertised(bind.port()));
        return transport.listen(bind, first).thenCompose(bound -> {
            CompletableFuture<?>[] others = ports.others(bound.port()).entrySet().stream()
                    .map(other -> transport.listen(new HostAddress(bind.host(), other.getKey()), at(other.getValue())))
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(others).thenApply(all -> bound);
        });
    }

    private RpcServer at(Entrance other) {
        return new RpcServer(identity, handler, denials, users, other);
    }

    @Override
    public ConnectionHandler accept(Connection connection) {
        return new ServerConnection(identity, handler, denials, users, entrance);
    }
}
