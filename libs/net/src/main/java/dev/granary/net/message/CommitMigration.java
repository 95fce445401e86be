package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * The source asks the super-peer of the creator's arc to make the target the owner: the target holds everything, and the
 * source serves nothing of the range until it has the answer. Asked again and again until there is one.
 *
 * @param creatorNid whose chunks they are
 * @param number of the migration
 * @param sourceNid the asking storage peer
 * @param sourceEpoch of its incarnation
 */
public record CommitMigration(int creatorNid, long number, int sourceNid, long sourceEpoch) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number).writeShortLE(sourceNid).writeLongLE(sourceEpoch);
    }

    static CommitMigration read(ByteBuf in) {
        return new CommitMigration(
                in.readUnsignedShortLE(), in.readLongLE(), in.readUnsignedShortLE(), in.readLongLE());
    }
}
