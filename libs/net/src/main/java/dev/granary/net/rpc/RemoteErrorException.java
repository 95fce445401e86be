package dev.granary.net.rpc;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;

/**
 * The request was refused: by the other node, or on its behalf before it was sent (another node or cluster than the
 * expected one, a request that is too large).
 */
public final class RemoteErrorException extends RpcException {

    private static final long serialVersionUID = 1L;

    private final transient ErrorReply reply;

    public RemoteErrorException(String message, ErrorReply reply) {
        super(message, isOutcomeUnknown(reply.code()));
        this.reply = reply;
    }

    /** Returns the error that the other node answered. */
    public ErrorReply reply() {
        return reply;
    }

    /** Returns the code of that error. */
    public ErrorCode code() {
        return reply.code();
    }

    private static boolean isOutcomeUnknown(ErrorCode code) {
        return code == ErrorCode.INTERNAL || code == ErrorCode.UNKNOWN || code == ErrorCode.UNKNOWN_OUTCOME;
    }
}
