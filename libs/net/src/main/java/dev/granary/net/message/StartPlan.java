package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks a super-peer to plan moves and to carry them out.
 *
 * @param kind what for
 * @param nid the storage peer that is drained or filled; for {@link PlanKind#MOVE} the one that shall own the range
 * @param startCid for {@link PlanKind#MOVE} the first chunk, otherwise 0
 * @param endCidInclusive for {@link PlanKind#MOVE} the last chunk, of the same creator, otherwise 0
 */
public record StartPlan(PlanKind kind, int nid, long startCid, long endCidInclusive) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeByte(kind.code()).writeShortLE(nid).writeLongLE(startCid).writeLongLE(endCidInclusive);
    }

    static StartPlan read(ByteBuf in) {
        return new StartPlan(
                PlanKind.ofCode(in.readUnsignedByte()), in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE());
    }
}
