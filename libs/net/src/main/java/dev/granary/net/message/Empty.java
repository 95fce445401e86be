package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A message without content.
 */
public record Empty() implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        // Nothing to say.
    }

    static Empty read(ByteBuf in) {
        return new Empty();
    }
}
