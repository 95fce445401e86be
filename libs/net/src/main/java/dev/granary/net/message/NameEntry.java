package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** A name and the CID that it stands for. */
public record NameEntry(String name, long cid) {

    void writeTo(ByteBuf out) {
        Wire.writeString(out, name);
        out.writeLongLE(cid);
    }

    static NameEntry read(ByteBuf in) {
        return new NameEntry(Wire.readString(in), in.readLongLE());
    }
}
