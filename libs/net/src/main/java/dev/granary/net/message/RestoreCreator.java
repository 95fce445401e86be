package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * The chunks that a creator had made in another cluster shall come out of a backup: its LIDs below a mark are given to
 * nobody any more. From the storage peer itself, which has no chunk and serves nothing any more; or, for a NID that no
 * storage peer ever had, from whoever restores.
 *
 * @param nid the creator
 * @param incarnation of the storage peer, which ends by this; 0 when there never was one
 * @param lidMark LIDs below it were given in the cluster that the backup is of
 * @param backup the backup's fingerprint, not 0
 */
public record RestoreCreator(int nid, long incarnation, long lidMark, long backup) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(incarnation).writeLongLE(lidMark).writeLongLE(backup);
    }

    static RestoreCreator read(ByteBuf in) {
        return new RestoreCreator(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
