package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * A storage peer asks the ring's leader for its NID, which belongs to its disk for ever.
 *
 * @param diskId the durable id of its data directory
 * @param incarnation of the process
 * @param name for people
 */
public record AssignNid(UUID diskId, long incarnation, String name) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, diskId);
        out.writeLongLE(incarnation);
        Wire.writeString(out, name);
    }

    static AssignNid read(ByteBuf in) {
        return new AssignNid(Wire.readUuid(in), in.readLongLE(), Wire.readString(in));
    }
}
