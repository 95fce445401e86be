package dev.granary.storage.replicate;

import dev.granary.log.backup.BatchHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Gives a batch that no backup has acknowledged to everybody another epoch, in which it is sent again. */
final class BatchEpoch {

    private BatchEpoch() {}

    /** The same batch in another epoch; lets go of the old one. */
    static ByteBuf change(ByteBufAllocator allocator, ByteBuf batch, long epoch) {
        try {
            ByteBuffer bytes = BatchHeaders.withEpoch(batch.nioBuffer(), epoch);
            return allocator.buffer(bytes.remaining()).writeBytes(bytes);
        } finally {
            batch.release();
        }
    }
}
