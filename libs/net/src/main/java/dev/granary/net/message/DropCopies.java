package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * Copies are not needed any more. A copy goes only when it is of a lower epoch than the one told, or of the same and not
 * yet filled: a late message takes nothing away from a copy that is wanted again.
 *
 * @param clusterId of the sender
 * @param zones each with the epoch in which the receiver is no member
 */
public record DropCopies(UUID clusterId, List<ZoneEpoch> zones) implements Message {

    public DropCopies {
        zones = List.copyOf(zones);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        Wire.writeList(out, zones, ZoneEpoch::write);
    }

    static DropCopies read(ByteBuf in) {
        return new DropCopies(Wire.readUuid(in), Wire.readList(in, ZoneEpoch::read));
    }
}
