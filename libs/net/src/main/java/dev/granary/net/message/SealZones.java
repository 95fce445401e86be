package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * A super-peer has a backup refuse all changes of zones of lower epochs (SAFETY rule "fencing at the backups") and asks
 * what it holds. Answered when it is on the disk, with a {@link SealedCopies}. Repeating it changes nothing.
 *
 * @param clusterId of the sender
 * @param zones each with the epoch of its recovery
 */
public record SealZones(UUID clusterId, List<ZoneEpoch> zones) implements Message {

    public SealZones {
        zones = List.copyOf(zones);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        Wire.writeList(out, zones, ZoneEpoch::write);
    }

    static SealZones read(ByteBuf in) {
        return new SealZones(Wire.readUuid(in), Wire.readList(in, ZoneEpoch::read));
    }
}
