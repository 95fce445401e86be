package dev.granary.net.rpc;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;

/**
 * Answers the requests of accepted connections: handed to {@link Transport#listen}. Each connection starts with a hello
 * in which both sides check that they are of one cluster and that this is the expected node; nothing else is answered
 * before. Bytes that are no valid frames close the connection, payloads that cannot be read are answered with
 * BAD_REQUEST. Thread-safe.
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
