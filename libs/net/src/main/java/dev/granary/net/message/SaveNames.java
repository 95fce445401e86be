package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.Arc;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * Has a storage peer keep a copy of the names of an arc, for when all super-peers that have them are lost (ADR 0150).
 * Answered with {@link NamesSaved}.
 *
 * @param clusterId of the super-peer
 * @param ownerNid whose arc it is
 * @param fromExclusive the arc begins behind this position
 * @param toInclusive and ends with this one
 * @param ringEpoch of the ring that has this arc
 * @param step what the changes are for
 * @param baseVersion of the copy before these changes; of no meaning when a copy is begun
 * @param version of the copy afterwards
 * @param changes in this order, each of a name; one to {@link dev.granary.overlay.Cid#NONE} removes it
 */
public record SaveNames(
        UUID clusterId,
        int ownerNid,
        int fromExclusive,
        int toInclusive,
        long ringEpoch,
        Step step,
        long baseVersion,
        long version,
        List<NameEntry> changes)
        implements Message {

    /** The most changes of one request. */
    public static final int MAX_CHANGES = 1024;

    /** What changes are for. */
    public enum Step {
        /** They follow those that the whole copy has. */
        CHANGE(0),
        /** A new copy is begun, which is filled beside the present one. */
        BEGIN(1),
        /** They are more of what the new copy is filled with. */
        FILL(2),
        /** They are the last of that, and the new copy takes the place of the present one. */
        FINISH(3);

        private final int code;

        Step(int code) {
            this.code = code;
        }

        private static Step of(int code) {
            for (Step step : values()) {
                if (step.code == code) {
                    return step;
                }
            }
            throw new FrameException("step " + code + " of saving names is not known");
        }
    }

    public SaveNames {
        changes = List.copyOf(changes);
    }

    /** The arc that the names are of. */
    public Arc arc() {
        return new Arc(fromExclusive, toInclusive);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeShortLE(ownerNid).writeShortLE(fromExclusive).writeShortLE(toInclusive);
        out.writeLongLE(ringEpoch);
        out.writeByte(step.code);
        out.writeLongLE(baseVersion).writeLongLE(version);
        Wire.writeList(out, changes, (buffer, change) -> change.writeTo(buffer));
    }

    static SaveNames read(ByteBuf in) {
        return new SaveNames(
                Wire.readUuid(in),
                in.readUnsignedShortLE(),
                in.readUnsignedShortLE(),
                in.readUnsignedShortLE(),
                in.readLongLE(),
                Step.of(in.readUnsignedByte()),
                in.readLongLE(),
                in.readLongLE(),
                Wire.readList(in, NameEntry::read));
    }
}
