package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * An owner has a backup hold copies of zones: new ones, or known ones in a new epoch. Answered when it is on the disk,
 * with a {@link CopyStates}. Repeating it changes nothing.
 *
 * @param clusterId of the sender
 * @param ownerNid the sender
 * @param copies at most some thousand
 */
public record OpenCopies(UUID clusterId, int ownerNid, List<Copy> copies) implements Message {

    /**
     * A copy of a zone. What a known copy holds behind the base sequence is cut off when the epoch is new to it: it was
     * never acknowledged. A copy that is not known is made only if it is to be filled, or if there is nothing before it.
     *
     * @param zone whose copy it is
     * @param epoch from which on the owner sends changes; lower ones are refused from now on
     * @param members the committed members of the zone in this epoch, in order
     * @param baseSequence no change of an earlier epoch behind it counts; the next has one more
     * @param filling what was before the base sequence is sent by {@link FillData}
     */
    public record Copy(int zone, long epoch, List<Integer> members, long baseSequence, boolean filling) {

        public Copy {
            members = List.copyOf(members);
        }

        private static void write(ByteBuf out, Copy copy) {
            out.writeIntLE(copy.zone).writeLongLE(copy.epoch);
            out.writeByte(copy.members.size());
            copy.members.forEach(out::writeShortLE);
            out.writeLongLE(copy.baseSequence).writeBoolean(copy.filling);
        }

        private static Copy read(ByteBuf in) {
            int zone = in.readIntLE();
            long epoch = in.readLongLE();
            Integer[] members = new Integer[in.readUnsignedByte()];
            for (int i = 0; i < members.length; i++) {
                members[i] = in.readUnsignedShortLE();
            }
            return new Copy(zone, epoch, List.of(members), in.readLongLE(), in.readBoolean());
        }
    }

    public OpenCopies {
        copies = List.copyOf(copies);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeShortLE(ownerNid);
        Wire.writeList(out, copies, Copy::write);
    }

    static OpenCopies read(ByteBuf in) {
        return new OpenCopies(Wire.readUuid(in), in.readUnsignedShortLE(), Wire.readList(in, Copy::read));
    }
}
