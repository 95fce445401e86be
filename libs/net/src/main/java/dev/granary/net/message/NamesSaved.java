package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * What a storage peer has of the names of an arc now.
 *
 * @param taken whether the changes fitted, and are in the copy
 * @param version of the whole copy of just this arc, 0 for none
 */
public record NamesSaved(boolean taken, long version) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeBoolean(taken).writeLongLE(version);
    }

    static NamesSaved read(ByteBuf in) {
        return new NamesSaved(in.readBoolean(), in.readLongLE());
    }
}
