package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A piece of a part of an arc, laid out as docs/formats/super-peer-commands.md says.
 *
 * @param totalBytes of the part
 * @param checksum of the part, CRC-32C
 * @param piece as much as fits, from the offset on
 */
public record ArcPartReply(int totalBytes, int checksum, Blob piece) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(totalBytes).writeIntLE(checksum);
        piece.writeTo(out);
    }

    static ArcPartReply read(ByteBuf in) {
        return new ArcPartReply(in.readIntLE(), in.readIntLE(), Blob.read(in));
    }
}
