package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of an arc which storage peers ever made CIDs in a piece of it, those that are there no more included.
 *
 * @param fromExclusive where the piece begins
 * @param toInclusive where it ends
 */
public record ListCreators(int fromExclusive, int toInclusive) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(fromExclusive).writeShortLE(toInclusive);
    }

    static ListCreators read(ByteBuf in) {
        return new ListCreators(in.readUnsignedShortLE(), in.readUnsignedShortLE());
    }
}
