package dev.granary.net.rpc;

import org.jspecify.annotations.Nullable;

/** The connection could not be opened, or ended before the reply came. */
public final class ConnectionLostException extends RpcException {

    private static final long serialVersionUID = 1L;

    ConnectionLostException(String message, @Nullable Throwable cause, boolean maybeExecuted) {
        super(message, maybeExecuted);
        if (cause != null) {
            initCause(cause);
        }
    }
}
