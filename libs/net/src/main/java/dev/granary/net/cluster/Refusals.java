package dev.granary.net.cluster;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import org.jspecify.annotations.Nullable;

/** Reads from the failure of a call whom to ask next, and when. Failures come here without wrappers. */
public final class Refusals {

    private Refusals() {}

    /** Returns the address of the node that answers instead, if the failure is a redirect; otherwise null. */
    public static @Nullable HostAddress namedBy(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.REDIRECT
                ? remote.reply().redirect()
                : null;
    }

    /** Returns whether the addressed node itself refused, and is not another node, and is not shutting down. */
    public static boolean isAnswer(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote
                && remote.code() != ErrorCode.SHUTTING_DOWN
                && remote.code() != ErrorCode.WRONG_NODE;
    }

    /** Returns after how many nanoseconds the other side wants to be asked again, 0 if it does not say. */
    public static long retryAfterNanos(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote ? remote.reply().retryAfterNanos() : 0;
    }
}
