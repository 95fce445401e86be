package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** The payload of a control message: a record, whose declaration says how it is laid out (ADR 0223). */
public interface Message {

    /** Appends the payload. */
    default void writeTo(ByteBuf out) {
        RecordBytes.write((Record) this, out);
    }
}
