package dev.granary.net;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Receives what happens on one connection. Calls for one connection come one after the other. Must not block. */
public interface ConnectionHandler {

    /**
     * A frame arrived, from its first byte to its last as {@link Frame} draws it, not yet checked.
     *
     * @param frame valid during the call only; the caller keeps ownership
     */
    void onFrame(Connection connection, ByteBuf frame);

    /** The connection ended, here or there; no call follows. */
    void onClosed(Connection connection, @Nullable Throwable cause);
}
