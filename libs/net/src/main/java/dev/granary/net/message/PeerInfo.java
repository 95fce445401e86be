package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * A storage peer as its super-peer sees it.
 *
 * @param nid its NID
 * @param name for people
 * @param address where it serves
 * @param httpAddress where it serves HTTP
 * @param live whether it holds a lease
 * @param leaseRemainingNanos what is left of the lease, 0 when there is none
 * @param epoch of its ranges
 * @param firstLid first LID of its incarnation; chunks below it are lost
 * @param ranges number of ranges that it owns in the answering super-peer's arc
 * @param statistics as last reported
 * @param fencedEpoch incarnations with this epoch or a lower one serve nothing any more, which is committed
 * @param machine the label of the machine that it runs on, empty for none
 * @param failureZone the label of the failure zone that it runs in, empty for none
 */
public record PeerInfo(
        int nid,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        boolean live,
        long leaseRemainingNanos,
        long epoch,
        long firstLid,
        long ranges,
        PeerStatistics statistics,
        long fencedEpoch,
        String machine,
        String failureZone)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
        Wire.writeString(out, name);
        Wire.writeAddress(out, address);
        Wire.writeAddress(out, httpAddress);
        out.writeBoolean(live)
                .writeLongLE(leaseRemainingNanos)
                .writeLongLE(epoch)
                .writeLongLE(firstLid)
                .writeLongLE(ranges);
        statistics.writeTo(out);
        out.writeLongLE(fencedEpoch);
        Wire.writeString(out, machine);
        Wire.writeString(out, failureZone);
    }

    static PeerInfo read(ByteBuf in) {
        return new PeerInfo(
                in.readUnsignedShortLE(),
                Wire.readString(in),
                Wire.readAddress(in),
                Wire.readAddress(in),
                in.readBoolean(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                PeerStatistics.read(in),
                in.readLongLE(),
                Wire.readString(in),
                Wire.readString(in));
    }
}
