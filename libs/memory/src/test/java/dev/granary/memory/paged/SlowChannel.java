package dev.granary.memory.paged;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Takes everything, but stands still at the first byte until it is released, or for half a minute. */
final class SlowChannel implements WritableByteChannel {

    private static final long LIMIT_SECONDS = 30;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    /** Waits until somebody writes. */
    void awaitReached() throws InterruptedException {
        if (!reached.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody writes");
        }
    }

    void release() {
        released.countDown();
    }

    @Override
    public int write(ByteBuffer from) {
        reached.countDown();
        try {
            released.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int count = from.remaining();
        from.position(from.limit());
        return count;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
