package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of the creator's arc what became of a migration.
 *
 * @param creatorNid whose chunks they are
 * @param number of the migration
 */
public record AskMigration(int creatorNid, long number) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number);
    }

    static AskMigration read(ByteBuf in) {
        return new AskMigration(in.readUnsignedShortLE(), in.readLongLE());
    }
}
