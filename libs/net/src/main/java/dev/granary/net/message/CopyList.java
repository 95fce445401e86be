package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The copies of zones that a storage peer's disk holds.
 *
 * @param peerEpoch of the peer's incarnation, 0 before its first lease
 * @param nextZone what to ask behind next, 0 when these are all
 * @param copies by their zones, ascending
 */
public record CopyList(long peerEpoch, int nextZone, List<Copy> copies) implements Message {

    /**
     * A copy.
     *
     * @param zone whose copy it is
     * @param epoch in which it was opened last
     * @param fencedEpoch changes of lower epochs are refused
     * @param members of the zone in the epoch of the copy
     * @param lastSequence of the last change that it holds without a gap
     * @param continuous whether it certainly has everything that it ever acknowledged
     * @param filled whether it has what was before it was opened
     * @param bytes that it takes
     */
    public record Copy(
            int zone,
            long epoch,
            long fencedEpoch,
            List<Integer> members,
            long lastSequence,
            boolean continuous,
            boolean filled,
            long bytes) {

        public Copy {
            members = List.copyOf(members);
        }

        private static void write(ByteBuf out, Copy copy) {
            out.writeIntLE(copy.zone).writeLongLE(copy.epoch).writeLongLE(copy.fencedEpoch);
            Wire.writeList(out, copy.members, ByteBuf::writeShortLE);
            out.writeLongLE(copy.lastSequence)
                    .writeBoolean(copy.continuous)
                    .writeBoolean(copy.filled)
                    .writeLongLE(copy.bytes);
        }

        private static Copy read(ByteBuf in) {
            return new Copy(
                    in.readIntLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    Wire.readList(in, ByteBuf::readUnsignedShortLE),
                    in.readLongLE(),
                    in.readBoolean(),
                    in.readBoolean(),
                    in.readLongLE());
        }
    }

    public CopyList {
        copies = List.copyOf(copies);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(peerEpoch).writeIntLE(nextZone);
        Wire.writeList(out, copies, Copy::write);
    }

    static CopyList read(ByteBuf in) {
        return new CopyList(in.readLongLE(), in.readIntLE(), Wire.readList(in, Copy::read));
    }
}
