package dev.granary.net.rpc;

/** No reply came before the deadline; a late reply is dropped. */
public final class CallTimeoutException extends RpcException {

    private static final long serialVersionUID = 1L;

    /** Takes what happened, and whether the other side may have done what was asked. */
    public CallTimeoutException(String message, boolean maybeExecuted) {
        super(message, maybeExecuted);
    }
}
