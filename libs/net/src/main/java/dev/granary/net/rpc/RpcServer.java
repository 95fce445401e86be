package dev.granary.net.rpc;

import dev.granary.env.SystemClock;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.net.access.AccessLog;

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

    /** A server with a log of denials of its own. */
    public RpcServer(RpcIdentity identity, RequestHandler handler) {
        this(identity, handler, new AccessLog(new SystemClock()));
    }

    /** @param denials is told of the callers and requests that are refused because of who the caller is */
    public RpcServer(RpcIdentity identity, RequestHandler handler, AccessLog denials) {
        this.identity = identity;
        this.handler = handler;
        this.denials = denials;
    }

    @Override
    public ConnectionHandler accept(Connection connection) {
        return new ServerConnection(identity, handler, denials);
    }
}
