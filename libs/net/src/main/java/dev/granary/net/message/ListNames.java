package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks for the names of a piece of the ring that begin with a prefix, in the order of their bytes. Only the super-peer
 * that answers for the whole piece does so: a caller that asks for pieces that make up the ring misses none.
 *
 * @param fromExclusive the piece begins behind this position
 * @param toInclusive and ends with this one; when both are equal it is the whole ring
 * @param prefix of the names, empty for all
 * @param after names up to this one are left out; empty for none
 * @param limit the most names to be listed, at least 1
 */
public record ListNames(int fromExclusive, int toInclusive, String prefix, String after, int limit) implements Message {

    /** The most names of one reply. */
    public static final int MAX_NAMES = 4096;

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(fromExclusive).writeShortLE(toInclusive);
        Wire.writeString(out, prefix);
        Wire.writeString(out, after);
        out.writeIntLE(limit);
    }

    static ListNames read(ByteBuf in) {
        return new ListNames(
                in.readUnsignedShortLE(),
                in.readUnsignedShortLE(),
                Wire.readString(in),
                Wire.readString(in),
                in.readIntLE());
    }
}
