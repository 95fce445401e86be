package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A plan is made.
 *
 * @param homeNid the NID in whose arc it is kept; with the number it names the plan
 * @param number counted by the arc
 * @param moves how many
 * @param bytes to be moved, as counted when it was made
 */
public record PlanReply(int homeNid, long number, int moves, long bytes) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(homeNid).writeLongLE(number).writeIntLE(moves).writeLongLE(bytes);
    }

    static PlanReply read(ByteBuf in) {
        return new PlanReply(in.readUnsignedShortLE(), in.readLongLE(), in.readIntLE(), in.readLongLE());
    }
}
