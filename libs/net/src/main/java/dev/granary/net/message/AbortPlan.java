package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of a plan to begin no more of its moves and to give up those that run. What has moved stays.
 *
 * @param homeNid the NID in whose arc the plan is kept
 * @param number of the plan
 */
public record AbortPlan(int homeNid, long number) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(homeNid).writeLongLE(number);
    }

    static AbortPlan read(ByteBuf in) {
        return new AbortPlan(in.readUnsignedShortLE(), in.readLongLE());
    }
}
