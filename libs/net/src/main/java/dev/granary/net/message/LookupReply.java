package dev.granary.net.message;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * The whole range that a CID lies in.
 *
 * @param range with owner and epoch
 * @param ownerAddress where the owner serves
 * @param ringEpoch of the answering super-peer
 */
public record LookupReply(CidRange range, HostAddress ownerAddress, long ringEpoch) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeRange(out, range);
        Wire.writeAddress(out, ownerAddress);
        out.writeLongLE(ringEpoch);
    }

    static LookupReply read(ByteBuf in) {
        return new LookupReply(Wire.readRange(in), Wire.readAddress(in), in.readLongLE());
    }
}
