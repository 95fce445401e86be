package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * A super-peer asks the ring's leader for its NID, tells where it is, and wants to know what the ring is committed to be.
 * The disk id is its identity, addresses may change.
 *
 * @param diskId the durable id of its data directory
 * @param incarnation of the process
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 */
public record JoinRing(UUID diskId, long incarnation, String name, HostAddress address, HostAddress httpAddress)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, diskId);
        out.writeLongLE(incarnation);
        Wire.writeString(out, name);
        Wire.writeAddress(out, address);
        Wire.writeAddress(out, httpAddress);
    }

    static JoinRing read(ByteBuf in) {
        return new JoinRing(
                Wire.readUuid(in), in.readLongLE(), Wire.readString(in), Wire.readAddress(in), Wire.readAddress(in));
    }
}
