package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * A super-peer that has just started says where it is. Those who are told believe it as far as to try that address: who
 * answers there shows it in the hello.
 *
 * @param nid the super-peer's NID
 * @param address where it serves the binary protocol
 */
public record Announce(int nid, HostAddress address) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
        Wire.writeAddress(out, address);
    }

    static Announce read(ByteBuf in) {
        return new Announce(in.readUnsignedShortLE(), Wire.readAddress(in));
    }
}
