package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * All of a part has arrived: the ring may be switched.
 *
 * @param operation of the ring
 */
public record SwitchRing(int operation) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(operation);
    }

    static SwitchRing read(ByteBuf in) {
        return new SwitchRing(in.readIntLE());
    }
}
