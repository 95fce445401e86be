package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Tells a storage peer whether everything is leaving it, so that it takes no new chunks. Told again and again.
 *
 * @param epoch of the incarnation that is meant
 * @param draining whether new chunks are refused
 */
public record DrainPeer(long epoch, boolean draining) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(epoch).writeBoolean(draining);
    }

    static DrainPeer read(ByteBuf in) {
        return new DrainPeer(in.readLongLE(), in.readBoolean());
    }
}
