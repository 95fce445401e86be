package dev.granary.testkit;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a machine, which the garbage collector frees: a killed node releases nothing. For a while it may
 * refuse some requests, when a buffer is made and when it grows.
 */
final class HeapAllocator extends AbstractByteBufAllocator {

    private @Nullable RandomGenerator refusing;
    private double share;
    private int largestGivenBytes;
    private int refusals;

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return new Buffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return newHeapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    /** Refuses from now on a share of the requests for more than {@code largestGivenBytes}. */
    void refuse(RandomGenerator random, double share, int largestGivenBytes) {
        this.refusing = random;
        this.share = share;
        this.largestGivenBytes = largestGivenBytes;
    }

    /** Refuses nothing from now on. */
    void giveAll() {
        refusing = null;
    }

    boolean isRefusing() {
        return refusing != null;
    }

    /** How many requests were refused so far. */
    int refusals() {
        return refusals;
    }

    private void requireRoom(int sizeBytes) {
        RandomGenerator random = refusing;
        if (random != null && sizeBytes > largestGivenBytes && random.nextDouble() < share) {
            refusals++;
            throw new InjectedOutOfMemory(sizeBytes);
        }
    }

    private final class Buffer extends UnpooledHeapByteBuf {

        Buffer(int initialCapacity, int maxCapacity) {
            super(HeapAllocator.this, initialCapacity, maxCapacity);
        }

        @Override
        protected byte[] allocateArray(int sizeBytes) {
            requireRoom(sizeBytes);
            return super.allocateArray(sizeBytes);
        }
    }
}
