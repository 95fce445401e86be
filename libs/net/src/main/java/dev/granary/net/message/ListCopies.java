package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks a storage peer which copies of zones its disk holds. Answered with a {@link CopyList}, by a peer without a lease
 * too.
 *
 * @param afterZone copies of zones up to this one are left out, 0 to begin
 * @param limit the most copies, 0 to ask for the incarnation only
 */
public record ListCopies(int afterZone, int limit) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(afterZone).writeIntLE(limit);
    }

    static ListCopies read(ByteBuf in) {
        return new ListCopies(in.readIntLE(), in.readIntLE());
    }
}
