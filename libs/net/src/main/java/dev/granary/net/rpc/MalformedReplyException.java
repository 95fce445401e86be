package dev.granary.net.rpc;

/** The reply cannot be read: the two nodes do not understand each other. The request was probably carried out. */
public final class MalformedReplyException extends RpcException {

    private static final long serialVersionUID = 1L;

    MalformedReplyException(String message, Throwable cause) {
        super(message, cause, true);
    }
}
