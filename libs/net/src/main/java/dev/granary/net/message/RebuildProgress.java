package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * How far a rebuilding is.
 *
 * @param done whether nothing is left to do
 * @param text what is being done or waited for, for people
 * @param answered storage peers that have reported
 * @param missing storage peers that others mention and that have not answered, by their NIDs
 */
public record RebuildProgress(boolean done, String text, int answered, List<Integer> missing) implements Message {

    public RebuildProgress {
        missing = List.copyOf(missing);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeBoolean(done);
        Wire.writeString(out, text);
        out.writeIntLE(answered);
        Wire.writeList(out, missing, ByteBuf::writeShortLE);
    }

    static RebuildProgress read(ByteBuf in) {
        return new RebuildProgress(
                in.readBoolean(), Wire.readString(in), in.readIntLE(), Wire.readList(in, ByteBuf::readUnsignedShortLE));
    }
}
