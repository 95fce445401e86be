package dev.granary.net.message;

import dev.granary.overlay.Ring;
import io.netty.buffer.ByteBuf;

/**
 * The NID that belongs to a disk, and the ring to find its arc's super-peer.
 */
public record AssignNidReply(int nid, Ring ring) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
        Wire.writeRing(out, ring);
    }

    static AssignNidReply read(ByteBuf in) {
        return new AssignNidReply(in.readUnsignedShortLE(), Wire.readRing(in));
    }
}
