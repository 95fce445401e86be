package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * A storage peer introduces its incarnation to its arc's super-peer and asks for a lease.
 *
 * @param nid its NID
 * @param diskId the disk that the NID belongs to
 * @param incarnation of the process; a new one means that the RAM of the former is gone
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param capacityBytes size of its chunk memory
 * @param machine the label of the machine that it runs on; copies of a zone are kept on different ones; empty for none
 * @param failureZone the label of the failure zone that it runs in, alike; empty for none
 * @param resumeDump the dump of its memory that an earlier incarnation was parked with and this one has; 0 for none
 */
public record OpenLease(
        int nid,
        UUID diskId,
        long incarnation,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        long capacityBytes,
        String machine,
        String failureZone,
        long resumeDump)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
        Wire.writeUuid(out, diskId);
        out.writeLongLE(incarnation);
        Wire.writeString(out, name);
        Wire.writeAddress(out, address);
        Wire.writeAddress(out, httpAddress);
        out.writeLongLE(capacityBytes);
        Wire.writeString(out, machine);
        Wire.writeString(out, failureZone);
        out.writeLongLE(resumeDump);
    }

    static OpenLease read(ByteBuf in) {
        return new OpenLease(
                in.readUnsignedShortLE(),
                Wire.readUuid(in),
                in.readLongLE(),
                Wire.readString(in),
                Wire.readAddress(in),
                Wire.readAddress(in),
                in.readLongLE(),
                Wire.readString(in),
                Wire.readString(in),
                in.readLongLE());
    }
}
