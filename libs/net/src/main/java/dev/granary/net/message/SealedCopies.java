package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * What a backup holds of zones whose copies were sealed.
 *
 * @param copies in the order of the request
 */
public record SealedCopies(List<Copy> copies) implements Message {

    /**
     * One copy.
     *
     * @param zone whose copy it is
     * @param held whether there is one
     * @param epoch in which it was opened last; without a copy that of the peer's incarnation, since whose begin there certainly
     *     was none, or 0 if that is not known (ADR 0198)
     * @param lastSequence of the last change that it holds without a gap
     * @param continuous whether it certainly has everything that it ever acknowledged: not after a crash of its peer,
     *     and not with damage; without a copy, whether there certainly was none
     * @param filled whether it has what was before it was opened
     * @param fencedEpoch changes of lower epochs are refused; higher than the one asked for when a later recovery was
     *     here before
     */
    public record Copy(
            int zone,
            boolean held,
            long epoch,
            long lastSequence,
            boolean continuous,
            boolean filled,
            long fencedEpoch) {

        private static void write(ByteBuf out, Copy copy) {
            out.writeIntLE(copy.zone).writeBoolean(copy.held).writeLongLE(copy.epoch);
            out.writeLongLE(copy.lastSequence).writeBoolean(copy.continuous).writeBoolean(copy.filled);
            out.writeLongLE(copy.fencedEpoch);
        }

        private static Copy read(ByteBuf in) {
            return new Copy(
                    in.readIntLE(),
                    in.readBoolean(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readBoolean(),
                    in.readBoolean(),
                    in.readLongLE());
        }
    }

    public SealedCopies {
        copies = List.copyOf(copies);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeList(out, copies, Copy::write);
    }

    static SealedCopies read(ByteBuf in) {
        return new SealedCopies(Wire.readList(in, Copy::read));
    }
}
