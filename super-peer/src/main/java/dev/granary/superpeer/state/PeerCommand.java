package dev.granary.superpeer.state;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * What changes what an arc knows of its storage peers.
 *
 * <pre>
 *  16 open peer       nid u16, diskId, incarnation i64, name, address, httpAddress, capacityBytes i64, lidCount i64
 *  17 reserve LIDs    nid u16, incarnation i64, lidLimit i64
 *  18 close lease     nid u16, incarnation i64
 *  19 lease length    leaseNanos i64
 * </pre>
 */
public sealed interface PeerCommand extends ArcCommand {

    /**
     * A storage peer's incarnation is admitted, and gets its first block of LIDs when it is new.
     *
     * @param nid its NID
     * @param diskId the disk that the NID belongs to
     * @param incarnation of the process, not 0
     * @param name for people
     * @param address where it serves the binary protocol
     * @param httpAddress where it serves HTTP
     * @param capacityBytes size of its chunk memory
     * @param lidCount the number of LIDs to reserve for a new incarnation, at least 1
     */
    record OpenPeer(
            int nid,
            UUID diskId,
            long incarnation,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            long capacityBytes,
            long lidCount)
            implements PeerCommand {}

    /**
     * More LIDs are reserved for an incarnation.
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param lidLimit LIDs below it are reserved from now on; a lower one than before changes nothing
     */
    record ReserveLids(int nid, long incarnation, long lidLimit) implements PeerCommand {}

    /** An incarnation has given its lease back and serves nothing any more. */
    record CloseLease(int nid, long incarnation) implements PeerCommand {}

    /**
     * No lease longer than this is out from now on. Committed before longer leases are granted, and when all longer
     * ones have surely ended, so that the wait after a restart is never shorter than a lease that is still out.
     */
    record SetLeaseLength(long leaseNanos) implements PeerCommand {}

    @Override
    default int type() {
        return switch (this) {
            case OpenPeer _ -> 16;
            case ReserveLids _ -> 17;
            case CloseLease _ -> 18;
            case SetLeaseLength _ -> 19;
        };
    }

    @Override
    default int position() {
        return switch (this) {
            case OpenPeer open -> open.nid;
            case ReserveLids reserve -> reserve.nid;
            case CloseLease close -> close.nid;
            case SetLeaseLength _ -> 0;
        };
    }

    @Override
    default void writeFields(ByteBuf out) {
        switch (this) {
            case OpenPeer open -> {
                out.writeShortLE(open.nid);
                Fields.writeUuid(out, open.diskId);
                out.writeLongLE(open.incarnation);
                Fields.writeText(out, open.name);
                Fields.writeAddress(out, open.address);
                Fields.writeAddress(out, open.httpAddress);
                out.writeLongLE(open.capacityBytes).writeLongLE(open.lidCount);
            }
            case ReserveLids reserve ->
                out.writeShortLE(reserve.nid).writeLongLE(reserve.incarnation).writeLongLE(reserve.lidLimit);
            case CloseLease close -> out.writeShortLE(close.nid).writeLongLE(close.incarnation);
            case SetLeaseLength length -> out.writeLongLE(length.leaseNanos);
        }
    }

    /**
     * Reads what {@link #writeFields} wrote.
     *
     * @throws IllegalArgumentException when the type is unknown
     */
    static PeerCommand read(int type, ByteBuf in) {
        return switch (type) {
            case 16 ->
                new OpenPeer(
                        in.readUnsignedShortLE(),
                        Fields.readUuid(in),
                        in.readLongLE(),
                        Fields.readText(in),
                        Fields.readAddress(in),
                        Fields.readAddress(in),
                        in.readLongLE(),
                        in.readLongLE());
            case 17 -> new ReserveLids(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE());
            case 18 -> new CloseLease(in.readUnsignedShortLE(), in.readLongLE());
            case 19 -> new SetLeaseLength(in.readLongLE());
            default -> throw new IllegalArgumentException("arc command of the unknown type " + type);
        };
    }
}
