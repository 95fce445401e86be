package dev.granary.superpeer.state;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * What changes the state of an arc. In the log each begins with a version and a type:
 *
 * <pre>
 *  0         1       2
 *  +---------+-------+-------------
 *  | version | type  | fields ...
 *  +---------+-------+-------------
 *   u8 (1)    u8
 *
 *  1 open peer       nid u16, diskId, incarnation i64, name, address, httpAddress, capacityBytes i64, lidCount i64
 *  2 reserve LIDs    nid u16, incarnation i64, lidLimit i64
 *  3 close lease     nid u16, incarnation i64
 *  4 lease length    leaseNanos i64
 * </pre>
 */
public sealed interface ArcCommand {

    /** The version of the layout of all commands of an arc. */
    int VERSION = 1;

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
            implements ArcCommand {}

    /**
     * More LIDs are reserved for an incarnation.
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param lidLimit LIDs below it are reserved from now on; a lower one than before changes nothing
     */
    record ReserveLids(int nid, long incarnation, long lidLimit) implements ArcCommand {}

    /** An incarnation has given its lease back and serves nothing any more. */
    record CloseLease(int nid, long incarnation) implements ArcCommand {}

    /**
     * No lease longer than this is out from now on. Committed before longer leases are granted, and when all longer
     * ones have surely ended, so that the wait after a restart is never shorter than a lease that is still out.
     */
    record SetLeaseLength(long leaseNanos) implements ArcCommand {}

    /** Appends a command. */
    static void write(ByteBuf out, ArcCommand command) {
        out.writeByte(VERSION);
        switch (command) {
            case OpenPeer open -> {
                out.writeByte(1).writeShortLE(open.nid);
                Fields.writeUuid(out, open.diskId);
                out.writeLongLE(open.incarnation);
                Fields.writeText(out, open.name);
                Fields.writeAddress(out, open.address);
                Fields.writeAddress(out, open.httpAddress);
                out.writeLongLE(open.capacityBytes).writeLongLE(open.lidCount);
            }
            case ReserveLids reserve ->
                out.writeByte(2)
                        .writeShortLE(reserve.nid)
                        .writeLongLE(reserve.incarnation)
                        .writeLongLE(reserve.lidLimit);
            case CloseLease close -> out.writeByte(3).writeShortLE(close.nid).writeLongLE(close.incarnation);
            case SetLeaseLength length -> out.writeByte(4).writeLongLE(length.leaseNanos);
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IllegalArgumentException when version or type are unknown
     */
    static ArcCommand read(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IllegalArgumentException("arc command of version " + version + "; this program knows " + VERSION);
        }
        int type = in.readUnsignedByte();
        return switch (type) {
            case 1 ->
                new OpenPeer(
                        in.readUnsignedShortLE(),
                        Fields.readUuid(in),
                        in.readLongLE(),
                        Fields.readText(in),
                        Fields.readAddress(in),
                        Fields.readAddress(in),
                        in.readLongLE(),
                        in.readLongLE());
            case 2 -> new ReserveLids(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE());
            case 3 -> new CloseLease(in.readUnsignedShortLE(), in.readLongLE());
            case 4 -> new SetLeaseLength(in.readLongLE());
            default -> throw new IllegalArgumentException("arc command of the unknown type " + type);
        };
    }
}
