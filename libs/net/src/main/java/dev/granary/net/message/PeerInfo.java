package dev.granary.net.message;

import dev.granary.net.FrameException;
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
 * @param drain whether everything is leaving it or has left it
 * @param usesPerSecond how often its chunks are used, as it told last; 0 when it has not told lately
 * @param statistics as last reported
 * @param fencedEpoch incarnations with this epoch or a lower one serve nothing any more, which is committed
 * @param machine the label of the machine that it runs on, empty for none
 * @param failureZone the label of the failure zone that it runs in, empty for none
 * @param parked whether it has stopped for a while with a dump of its memory, and nobody takes its place
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
        Drain drain,
        long usesPerSecond,
        PeerStatistics statistics,
        long fencedEpoch,
        String machine,
        String failureZone,
        boolean parked)
        implements Message {

    /** Whether everything is leaving it or has left it. */
    public boolean draining() {
        return drain != Drain.NONE;
    }

    /** How far the drain of a storage peer is: what the plans of its arc say. */
    public enum Drain {
        /** It takes chunks. */
        NONE(0),
        /** Everything is leaving it. */
        RUNNING(1),
        /** It owns no chunk and takes none. */
        DONE(2);

        private final int code;

        Drain(int code) {
            this.code = code;
        }

        private static Drain ofCode(int code) {
            for (Drain drain : values()) {
                if (drain.code == code) {
                    return drain;
                }
            }
            throw new FrameException("a drain is not in state " + code);
        }
    }

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
                .writeLongLE(ranges)
                .writeByte(drain.code)
                .writeLongLE(usesPerSecond);
        statistics.writeTo(out);
        out.writeLongLE(fencedEpoch);
        Wire.writeString(out, machine);
        Wire.writeString(out, failureZone);
        out.writeBoolean(parked);
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
                Drain.ofCode(in.readUnsignedByte()),
                in.readLongLE(),
                PeerStatistics.read(in),
                in.readLongLE(),
                Wire.readString(in),
                Wire.readString(in),
                in.readBoolean());
    }
}
