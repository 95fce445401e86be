package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import io.netty.buffer.ByteBuf;

/** Takes the results of a batch of gets. Several I/O threads call it at once, for different chunks. */
interface ChunkSink {

    /** Takes a chunk, whose bytes begin at the reader index. The sink may move the index. */
    void found(int index, ByteBuf in, int sizeBytes);

    /** Takes the outcome of a chunk that cannot be read. */
    void missing(int index, ChunkOutcome outcome);
}
