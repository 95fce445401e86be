package dev.granary.superpeer.node;

import java.util.concurrent.atomic.AtomicLong;

/** How much of one share of the memory plan is taken. Changed by tasks of one scheduler, read by any thread. */
public final class MemoryBudget {

    private final long limitBytes;
    private final AtomicLong bytes = new AtomicLong();

    public MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    public boolean hasRoomFor(long sizeBytes) {
        return bytes.get() + sizeBytes <= limitBytes;
    }

    /** Takes room if there is enough, and returns whether there was. */
    public boolean tryTake(long sizeBytes) {
        boolean fits = hasRoomFor(sizeBytes);
        if (fits) {
            bytes.addAndGet(sizeBytes);
        }
        return fits;
    }

    /** Takes room even if there is too little. The caller's use must be bounded in another way. */
    public void take(long sizeBytes) {
        bytes.addAndGet(sizeBytes);
    }

    public void give(long sizeBytes) {
        bytes.addAndGet(-sizeBytes);
    }

    /** Sets how much is taken, for what is counted now and then. */
    public void set(long sizeBytes) {
        bytes.set(sizeBytes);
    }

    public long limitBytes() {
        return limitBytes;
    }

    public long bytes() {
        return bytes.get();
    }
}
