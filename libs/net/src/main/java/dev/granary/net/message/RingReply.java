package dev.granary.net.message;

import dev.granary.overlay.Ring;
import io.netty.buffer.ByteBuf;

/** The ring as the answering super-peer knows it. */
public record RingReply(Ring ring) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeRing(out, ring);
    }

    static RingReply read(ByteBuf in) {
        return new RingReply(Wire.readRing(in));
    }
}
