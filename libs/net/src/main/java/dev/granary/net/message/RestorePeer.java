package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Has a storage peer without a chunk start anew, with LIDs from a mark on, so that chunks with lower ones can come out of
 * a backup. It must refuse changes by then.
 *
 * @param lidMark the mark
 * @param backup the backup's fingerprint, not 0
 */
public record RestorePeer(long lidMark, long backup) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(lidMark).writeLongLE(backup);
    }

    static RestorePeer read(ByteBuf in) {
        return new RestorePeer(in.readLongLE(), in.readLongLE());
    }
}
