package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks who owns a CID. Goes to the super-peer whose arc holds the CID's NID; another one redirects.
 */
public record Lookup(long cid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid);
    }

    static Lookup read(ByteBuf in) {
        return new Lookup(in.readLongLE());
    }
}
