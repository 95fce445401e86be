package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of the creator's arc to give a migration up, unless it is committed.
 *
 * @param creatorNid whose chunks they are
 * @param number of the migration
 * @param reason for people
 */
public record AbortMigration(int creatorNid, long number, String reason) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number);
        Wire.writeString(out, reason);
    }

    static AbortMigration read(ByteBuf in) {
        return new AbortMigration(in.readUnsignedShortLE(), in.readLongLE(), Wire.readString(in));
    }
}
