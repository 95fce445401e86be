package dev.granary.net.cluster;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import org.jspecify.annotations.Nullable;

/** What the failure of a call says about whom to ask next, and when. Failures come here unwrapped. */
public final class Refusals {

    private Refusals() {}

    /** Who answers instead, if the failure is a redirect; otherwise null. */
    public static @Nullable HostAddress namedBy(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.REDIRECT
                ? remote.reply().redirect()
                : null;
    }

    /** Whether the addressed node itself refused: not a stranger at its address, and not one that is shutting down. */
    public static boolean isAnswer(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote
                && remote.code() != ErrorCode.SHUTTING_DOWN
                && remote.code() != ErrorCode.WRONG_NODE;
    }

    /** When the other side wants to be asked again, 0 if it does not say. */
    public static long retryAfterNanos(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote ? remote.reply().retryAfterNanos() : 0;
    }
}
