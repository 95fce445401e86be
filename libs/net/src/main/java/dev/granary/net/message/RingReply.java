package dev.granary.net.message;

import dev.granary.overlay.Ring;
import io.netty.buffer.ByteBuf;

/**
 * The ring as the answering super-peer knows it.
 *
 * @param yourNid the asker's NID after a join, otherwise 0
 */
public record RingReply(int yourNid, Ring ring) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(yourNid);
        Wire.writeRing(out, ring);
    }

    static RingReply read(ByteBuf in) {
        return new RingReply(in.readUnsignedShortLE(), Wire.readRing(in));
    }
}
