package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks a storage peer for names of a copy that it keeps, in the order of their bytes. Answered with a {@link NameList}.
 *
 * @param ownerNid whose arc the names are of
 * @param version of the copy; another one is refused
 * @param after names up to this one are left out; empty for none
 * @param limit the most names, at least 1
 */
public record FetchNames(int ownerNid, long version, String after, int limit) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(ownerNid).writeLongLE(version);
        Wire.writeString(out, after);
        out.writeIntLE(limit);
    }

    static FetchNames read(ByteBuf in) {
        return new FetchNames(in.readUnsignedShortLE(), in.readLongLE(), Wire.readString(in), in.readIntLE());
    }
}
