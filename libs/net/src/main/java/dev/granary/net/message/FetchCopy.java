package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * A peer asks a member of a zone for what its copy holds: to repair its own, or to recover the zone without one.
 *
 * @param clusterId of the sender
 * @param zone of the copy
 * @param epoch that the copy must know at least: the one in which it was sealed
 * @param upToSequence changes behind it are left out
 * @param cursor 0 to begin, then what the last answer said
 */
public record FetchCopy(UUID clusterId, int zone, long epoch, long upToSequence, long cursor) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeIntLE(zone).writeLongLE(epoch).writeLongLE(upToSequence).writeLongLE(cursor);
    }

    static FetchCopy read(ByteBuf in) {
        return new FetchCopy(Wire.readUuid(in), in.readIntLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
