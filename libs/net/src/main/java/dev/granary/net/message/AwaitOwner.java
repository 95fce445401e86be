package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks who owns a CID, once that is another one than before. Goes where {@link Lookup} goes, and is answered as that is: as soon
 * as the chunk is served, or known to be lost, at a higher epoch than the caller has seen, and when the wait is over in any case.
 *
 * @param cid that the caller could not reach
 * @param seenEpoch of the placement at which it could not
 * @param waitNanos how long the answer may be held back at most
 */
public record AwaitOwner(long cid, long seenEpoch, long waitNanos) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid).writeLongLE(seenEpoch).writeLongLE(waitNanos);
    }

    static AwaitOwner read(ByteBuf in) {
        return new AwaitOwner(in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
