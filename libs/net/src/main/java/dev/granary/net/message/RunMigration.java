package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * A super-peer has a storage peer carry a migration out; sent again and again as long as it runs, which changes nothing
 * but brings the progress.
 *
 * @param creatorNid whose chunks they are
 * @param number of the migration
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk
 * @param sourceEpoch of the incarnation that is meant
 * @param targetNid who shall own them
 * @param targetEpoch of the target's incarnation
 * @param targetAddress where the target serves
 */
public record RunMigration(
        int creatorNid,
        long number,
        long startCid,
        long endCidInclusive,
        long sourceEpoch,
        int targetNid,
        long targetEpoch,
        HostAddress targetAddress)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number).writeLongLE(startCid).writeLongLE(endCidInclusive);
        out.writeLongLE(sourceEpoch).writeShortLE(targetNid).writeLongLE(targetEpoch);
        Wire.writeAddress(out, targetAddress);
    }

    static RunMigration read(ByteBuf in) {
        return new RunMigration(
                in.readUnsignedShortLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readUnsignedShortLE(),
                in.readLongLE(),
                Wire.readAddress(in));
    }
}
