package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A storage peer stops for a while: it serves nothing any more, and its memory is dumped on its disk. Nobody takes its place
 * until it resumes with this dump or is given up (SAFETY rule "one writer", ADR 0120).
 *
 * @param nid its NID
 * @param incarnation of the process
 * @param dumpId of the dump, random, not 0
 */
public record ParkPeer(int nid, long incarnation, long dumpId) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(incarnation).writeLongLE(dumpId);
    }

    static ParkPeer read(ByteBuf in) {
        return new ParkPeer(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE());
    }
}
