package dev.granary.net.netty;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes the large frames take that are being received, for all connections of a transport. Thread-safe.
 */
final class InboundBudget {

    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();

    InboundBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Takes room for a frame; one that is larger than all the room there is may come alone. */
    boolean tryTake(long sizeBytes) {
        while (true) {
            long before = bytes.get();
            if (before != 0 && before + sizeBytes > maxBytes) {
                return false;
            }
            if (bytes.compareAndSet(before, before + sizeBytes)) {
                return true;
            }
        }
    }

    void give(long sizeBytes) {
        bytes.addAndGet(-sizeBytes);
    }

    long bytes() {
        return bytes.get();
    }
}
