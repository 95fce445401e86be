package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** The payload of a control message. */
public interface Message {

    /** Appends the payload. */
    void writeTo(ByteBuf out);
}
