package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks a storage peer what it owns between two CIDs, in pieces that can be migrated one by one.
 *
 * @param startCid from here on
 * @param endCidInclusive up to here, of any creator
 * @param maxLids the most LIDs of a piece
 */
public record Survey(long startCid, long endCidInclusive, int maxLids) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(startCid).writeLongLE(endCidInclusive).writeIntLE(maxLids);
    }

    static Survey read(ByteBuf in) {
        return new Survey(in.readLongLE(), in.readLongLE(), in.readIntLE());
    }
}
