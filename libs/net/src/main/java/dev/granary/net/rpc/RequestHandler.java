package dev.granary.net.rpc;

/** Answers requests. */
@FunctionalInterface
public interface RequestHandler {

    /**
     * Handles one request and answers it now or later, from any thread, exactly once. Called on the connection's I/O
     * thread; must not block. An exception becomes the answer if there is none yet: BAD_REQUEST for a payload that
     * cannot be read, INTERNAL for everything else.
     */
    void handle(RpcRequest request);
}
