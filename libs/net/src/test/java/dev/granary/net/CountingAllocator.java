package dev.granary.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Buffers whose bytes are counted, so that a test sees exactly whether one was not released. */
public final class CountingAllocator {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    /** Starts with nothing allocated. */
    public CountingAllocator() {}

    public ByteBufAllocator buffers() {
        return allocator;
    }

    public void assertAllReleased() {
        assertThat(allocator.metric().usedDirectMemory())
                .as("bytes of direct buffers that were not released")
                .isZero();
        assertThat(allocator.metric().usedHeapMemory())
                .as("bytes of heap buffers that were not released")
                .isZero();
    }
}
