package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The storage peers that ever made CIDs in a piece of the ring.
 *
 * @param creators by NID
 */
public record CreatorList(List<Creator> creators) implements Message {

    /**
     * A storage peer.
     *
     * @param nid its NID
     * @param firstLid the first LID of its present incarnation: what it owns of the LIDs below, without a zone, is lost
     * @param lidLimit no LID from here on was ever given
     * @param backup the fingerprint of the backup that its chunks come or came out of, 0 for none
     */
    public record Creator(int nid, long firstLid, long lidLimit, long backup) {

        private void writeTo(ByteBuf out) {
            out.writeShortLE(nid).writeLongLE(firstLid).writeLongLE(lidLimit).writeLongLE(backup);
        }

        private static Creator read(ByteBuf in) {
            return new Creator(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
        }
    }

    public CreatorList {
        creators = List.copyOf(creators);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeList(out, creators, (to, creator) -> creator.writeTo(to));
    }

    static CreatorList read(ByteBuf in) {
        return new CreatorList(Wire.readList(in, Creator::read));
    }
}
