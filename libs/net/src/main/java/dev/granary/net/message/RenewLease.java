package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A storage peer renews its lease and reports.
 *
 * @param nid its NID
 * @param incarnation of the process
 * @param epoch of its ranges as it knows it
 * @param statistics what it holds
 */
public record RenewLease(int nid, long incarnation, long epoch, PeerStatistics statistics) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(incarnation).writeLongLE(epoch);
        statistics.writeTo(out);
    }

    static RenewLease read(ByteBuf in) {
        return new RenewLease(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE(), PeerStatistics.read(in));
    }
}
