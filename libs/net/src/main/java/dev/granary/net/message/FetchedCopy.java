package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A part of a copy.
 *
 * @param nextCursor where to go on, 0 when this was the last part
 * @param damaged whether something before or in this part could not be read and is missing
 * @param batches whole batches (libs/log)
 */
public record FetchedCopy(long nextCursor, boolean damaged, Blob batches) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(nextCursor).writeBoolean(damaged);
        batches.writeTo(out);
    }

    static FetchedCopy read(ByteBuf in) {
        return new FetchedCopy(in.readLongLE(), in.readBoolean(), Blob.read(in));
    }
}
