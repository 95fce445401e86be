package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * How far the source is.
 *
 * @param failed whether it has given up; it serves the range as before
 * @param chunks sent so far, those that changed meanwhile counted again
 * @param bytes of these chunks
 * @param note for people: why it has given up, otherwise empty
 */
public record RunMigrationReply(boolean failed, long chunks, long bytes, String note) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeBoolean(failed).writeLongLE(chunks).writeLongLE(bytes);
        Wire.writeString(out, note);
    }

    static RunMigrationReply read(ByteBuf in) {
        return new RunMigrationReply(in.readBoolean(), in.readLongLE(), in.readLongLE(), Wire.readString(in));
    }
}
