package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** Asks what a name stands for. Goes to the super-peer whose arc holds the name's position; another one redirects. */
public record GetName(String name) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeString(out, name);
    }

    static GetName read(ByteBuf in) {
        return new GetName(Wire.readString(in));
    }
}
