package dev.granary.net.rpc;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;

/**
 * Answers the requests of accepted connections; it is passed to {@link Transport#listen}. Each connection starts with a
 * hello. In it both sides check that they belong to one cluster and that this is the expected node. The server answers
 * nothing else before. Bytes that are not a valid frame close the connection; a payload that cannot be read is answered
 * with BAD_REQUEST. Thread-safe.
 */
public final class RpcServer implements Transport.Acceptor {

    private final RpcIdentity identity;
    private final RequestHandler handler;

    public RpcServer(RpcIdentity identity, RequestHandler handler) {
        this.identity = identity;
        this.handler = handler;
    }

    @Override
    public ConnectionHandler accept(Connection connection) {
        return new ServerConnection(identity, handler);
    }
}
