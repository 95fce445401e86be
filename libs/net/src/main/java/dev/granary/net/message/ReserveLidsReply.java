package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * LIDs are reserved.
 *
 * @param lidLimit LIDs below it are reserved; at least what was wanted
 */
public record ReserveLidsReply(long lidLimit) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(lidLimit);
    }

    static ReserveLidsReply read(ByteBuf in) {
        return new ReserveLidsReply(in.readLongLE());
    }
}
