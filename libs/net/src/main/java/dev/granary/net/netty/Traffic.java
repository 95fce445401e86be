package dev.granary.net.netty;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The frames that one I/O thread has received and sent, and their bytes. That thread adds, any thread reads: so that
 * adding costs a plain write and no atomic operation.
 */
final class Traffic {

    private static final int RECEIVED_FRAMES = 0;
    private static final int RECEIVED_BYTES = 1;
    private static final int SENT_FRAMES = 2;
    private static final int SENT_BYTES = 3;

    /** Longs without a meaning on both sides keep the cache lines of the threads apart. */
    private static final int PADDING = 16;

    private final AtomicLongArray counts = new AtomicLongArray(PADDING + SENT_BYTES + 1 + PADDING);

    void received(int sizeBytes) {
        add(RECEIVED_FRAMES, 1);
        add(RECEIVED_BYTES, sizeBytes);
    }

    void sent(int frames, long bytes) {
        add(SENT_FRAMES, frames);
        add(SENT_BYTES, bytes);
    }

    private void add(int which, long more) {
        int index = PADDING + which;
        counts.setRelease(index, counts.getPlain(index) + more);
    }

    long receivedFrames() {
        return get(RECEIVED_FRAMES);
    }

    long receivedBytes() {
        return get(RECEIVED_BYTES);
    }

    long sentFrames() {
        return get(SENT_FRAMES);
    }

    long sentBytes() {
        return get(SENT_BYTES);
    }

    private long get(int which) {
        return counts.getAcquire(PADDING + which);
    }
}
