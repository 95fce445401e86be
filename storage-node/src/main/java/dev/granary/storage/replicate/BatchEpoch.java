package dev.granary.storage.replicate;

import dev.granary.log.batch.BatchHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Rewrites the zone epoch of a batch that not all backups have acknowledged, so that it can be sent again. */
final class BatchEpoch {

    private BatchEpoch() {}

    /** Returns a copy of the batch with another epoch; the given batch stays as it is. */
    static ByteBuf change(ByteBufAllocator allocator, ByteBuf batch, long epoch) {
        return ZoneBatch.copy(allocator, BatchHeaders.withEpoch(batch.nioBuffer(), epoch));
    }
}
