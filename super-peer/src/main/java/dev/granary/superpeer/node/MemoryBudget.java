package dev.granary.superpeer.node;

import java.util.concurrent.atomic.AtomicLong;

/** What is taken of one share of the memory plan. Changed by tasks of one scheduler, read by any thread. */
public final class MemoryBudget {

    private final long limitBytes;
    private final AtomicLong bytes = new AtomicLong();

    public MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    public boolean hasRoomFor(long sizeBytes) {
        return bytes.get() + sizeBytes <= limitBytes;
    }

    /** Takes room if there is enough. */
    public boolean tryTake(long sizeBytes) {
        boolean fits = hasRoomFor(sizeBytes);
        if (fits) {
            bytes.addAndGet(sizeBytes);
        }
        return fits;
    }

    /** Takes room also where there is too little: who takes it is bounded otherwise. */
    public void take(long sizeBytes) {
        bytes.addAndGet(sizeBytes);
    }

    public void give(long sizeBytes) {
        bytes.addAndGet(-sizeBytes);
    }

    /** What nobody was asked about is counted all the same. */
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
