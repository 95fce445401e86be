package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import io.netty.buffer.ByteBuf;

/** Takes what a batch of gets finds. Called by several I/O threads at once, for different chunks. */
interface ChunkSink {

    /** A chunk's bytes begin at the reader index; the sink may move it. */
    void found(int index, ByteBuf in, int sizeBytes);

    /** A chunk is not there. */
    void missing(int index, ChunkOutcome outcome);
}
