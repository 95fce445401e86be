package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of the creator's arc to begin a migration out of a backup: whoever asks sends the chunks to the
 * target and then has the migration committed, with 0 for the NID and the epoch of the source.
 *
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk, of the same creator
 * @param targetNid the storage peer that shall own them
 */
public record BeginRestore(long startCid, long endCidInclusive, int targetNid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(startCid).writeLongLE(endCidInclusive).writeShortLE(targetNid);
    }

    static BeginRestore read(ByteBuf in) {
        return new BeginRestore(in.readLongLE(), in.readLongLE(), in.readUnsignedShortLE());
    }
}
