package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * A super-peer that rebuilds what super-peers knew asks a storage peer who it is and what it owns (ADR 0127). Answered with
 * {@link Holdings}, without a lease too.
 *
 * @param superPeer where the peer finds a super-peer from now on, besides where it knew them
 * @param fromCid ranges before it are left out, 0 to begin
 */
public record ReportHoldings(HostAddress superPeer, long fromCid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeAddress(out, superPeer);
        out.writeLongLE(fromCid);
    }

    static ReportHoldings read(ByteBuf in) {
        return new ReportHoldings(Wire.readAddress(in), in.readLongLE());
    }
}
