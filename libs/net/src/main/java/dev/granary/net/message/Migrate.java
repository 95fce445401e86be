package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of the creator's arc to begin a migration. The whole range must be of one owner.
 *
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk, of the same creator
 * @param targetNid the storage peer that shall own them
 */
public record Migrate(long startCid, long endCidInclusive, int targetNid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(startCid).writeLongLE(endCidInclusive).writeShortLE(targetNid);
    }

    static Migrate read(ByteBuf in) {
        return new Migrate(in.readLongLE(), in.readLongLE(), in.readUnsignedShortLE());
    }
}
