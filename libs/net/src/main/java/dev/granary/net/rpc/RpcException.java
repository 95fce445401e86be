package dev.granary.net.rpc;

/** A call that brought no result. */
public abstract sealed class RpcException extends RuntimeException
        permits CallTimeoutException, ConnectionLostException, MalformedReplyException, RemoteErrorException {

    private static final long serialVersionUID = 1L;

    private final boolean maybeExecuted;

    RpcException(String message, Throwable cause, boolean maybeExecuted) {
        super(message, cause);
        this.maybeExecuted = maybeExecuted;
    }

    RpcException(String message, boolean maybeExecuted) {
        super(message);
        this.maybeExecuted = maybeExecuted;
    }

    /**
     * Returns whether the request may have been carried out, or may still be; false only when it certainly was not. The
     * caller repeats a change with an unknown outcome with the same request id or not at all (SAFETY rule "retries").
     */
    public final boolean maybeExecuted() {
        return maybeExecuted;
    }
}
