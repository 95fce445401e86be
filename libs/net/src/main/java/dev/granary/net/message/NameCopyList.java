package dev.granary.net.message;

import dev.granary.overlay.Arc;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The whole copies of names that a storage peer keeps (ADR 0150).
 *
 * @param copies by the NIDs of the arcs' super-peers
 */
public record NameCopyList(List<Copy> copies) implements Message {

    /**
     * A copy of the names of an arc.
     *
     * @param ownerNid whose arc it was
     * @param fromExclusive the arc began behind this position
     * @param toInclusive and ended with this one
     * @param ringEpoch of the latest ring that is known to have had this arc
     * @param version of the arc's names that it has; later versions have later changes
     */
    public record Copy(int ownerNid, int fromExclusive, int toInclusive, long ringEpoch, long version) {

        /** The arc that the names are of. */
        public Arc arc() {
            return new Arc(fromExclusive, toInclusive);
        }

        private static void write(ByteBuf out, Copy copy) {
            out.writeShortLE(copy.ownerNid).writeShortLE(copy.fromExclusive).writeShortLE(copy.toInclusive);
            out.writeLongLE(copy.ringEpoch).writeLongLE(copy.version);
        }

        private static Copy read(ByteBuf in) {
            return new Copy(
                    in.readUnsignedShortLE(),
                    in.readUnsignedShortLE(),
                    in.readUnsignedShortLE(),
                    in.readLongLE(),
                    in.readLongLE());
        }
    }

    public NameCopyList {
        copies = List.copyOf(copies);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeList(out, copies, Copy::write);
    }

    static NameCopyList read(ByteBuf in) {
        return new NameCopyList(Wire.readList(in, Copy::read));
    }
}
