package dev.granary.net.rpc;

import dev.granary.env.SystemClock;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.Users;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of accepted connections; it is passed to {@link Transport#listen}. Each connection starts with a
 * hello. In it both sides check that they belong to one cluster and that this is the expected node. The server answers
 * nothing else before. Bytes that are not a valid frame close the connection; a payload that cannot be read is answered
 * with BAD_REQUEST, a request that the caller's roles may not send with NOT_PERMITTED. Thread-safe.
 */
public final class RpcServer implements Transport.Acceptor {

    private final RpcIdentity identity;
    private final RequestHandler handler;
    private final AccessLog denials;
    private final @Nullable Users users;

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
        this.identity = identity;
        this.handler = handler;
        this.denials = denials;
        this.users = users;
    }

    @Override
    public ConnectionHandler accept(Connection connection) {
        return new ServerConnection(identity, handler, denials, users);
    }
}
