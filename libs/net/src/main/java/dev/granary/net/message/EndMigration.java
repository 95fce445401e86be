package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Tells a storage peer what its arc has decided: the source tells the target, the super-peer both when it gives up.
 *
 * @param creatorNid whose chunks they are
 * @param number of the migration
 * @param committed whether the target owns the range now
 * @param epoch of the range at the target, 0 unless committed
 */
public record EndMigration(int creatorNid, long number, boolean committed, long epoch) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number).writeBoolean(committed).writeLongLE(epoch);
    }

    static EndMigration read(ByteBuf in) {
        return new EndMigration(in.readUnsignedShortLE(), in.readLongLE(), in.readBoolean(), in.readLongLE());
    }
}
