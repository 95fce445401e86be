package dev.granary.net.rpc;

/** No reply came before the deadline; a late reply is dropped. */
public final class CallTimeoutException extends RpcException {

    private static final long serialVersionUID = 1L;

    CallTimeoutException(String message, boolean maybeExecuted) {
        super(message, maybeExecuted);
    }
}
