package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A storage peer has a zone in memory that it was told to recover, and asks the creator's arc to make it the owner.
 * Answered with the {@link ZonePlacement} that holds now: whoever is the owner there at this epoch or a higher one serves
 * the zone, nobody else. Asking again changes nothing.
 *
 * @param zone its id
 * @param epoch of the attempt
 * @param nid the asking storage peer
 * @param nidEpoch of its incarnation
 * @param chunks that were recovered
 * @param bytes of these chunks
 * @param damaged whether something in the log could not be read and no other member had it
 */
public record Recovered(int zone, long epoch, int nid, long nidEpoch, long chunks, long bytes, boolean damaged)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(zone).writeLongLE(epoch).writeShortLE(nid).writeLongLE(nidEpoch);
        out.writeLongLE(chunks).writeLongLE(bytes).writeBoolean(damaged);
    }

    static Recovered read(ByteBuf in) {
        return new Recovered(
                in.readIntLE(),
                in.readLongLE(),
                in.readUnsignedShortLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readBoolean());
    }
}
