package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A migration as its arc has it.
 *
 * @param creatorNid whose chunks they are; with the number it names the migration
 * @param number counted by the arc; 0 when the target owns the range already and nothing was begun
 * @param state how far it is
 * @param epoch of the range at the target, 0 unless committed
 * @param note for people: why it was aborted, otherwise empty
 */
public record MigrationReply(int creatorNid, long number, MigrationState state, long epoch, String note)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number).writeByte(state.code()).writeLongLE(epoch);
        Wire.writeString(out, note);
    }

    static MigrationReply read(ByteBuf in) {
        return new MigrationReply(
                in.readUnsignedShortLE(),
                in.readLongLE(),
                MigrationState.ofCode(in.readUnsignedByte()),
                in.readLongLE(),
                Wire.readString(in));
    }
}
