package dev.granary.storage.replicate;

import dev.granary.log.batch.BatchHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Gives a batch that no backup has acknowledged to everybody another epoch, in which it is sent again. */
final class BatchEpoch {

    private BatchEpoch() {}

    /** The same batch in another epoch; the old one stays as it is. */
    static ByteBuf change(ByteBufAllocator allocator, ByteBuf batch, long epoch) {
        return ZoneBatch.copy(allocator, BatchHeaders.withEpoch(batch.nioBuffer(), epoch));
    }
}
