package dev.granary.net.netty;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Takes frames, and answers none. */
final class SilentHandler implements ConnectionHandler {

    @Override
    public void onFrame(Connection connection, ByteBuf frame) {}

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}
}
