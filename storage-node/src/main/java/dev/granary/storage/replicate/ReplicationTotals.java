package dev.granary.storage.replicate;

import dev.granary.net.message.ZoneMessages.WantedCopies;
import java.util.concurrent.atomic.AtomicLong;

/** What all zones of an owner share: how much waits for backups, and how many copies there should be. Thread-safe. */
final class ReplicationTotals {

    private final AtomicLong pendingBytes = new AtomicLong();

    /** The bytes of changes that were admitted and may not be among the pending batches yet. */
    private final AtomicLong admittedBytes = new AtomicLong();

    private final long maxPendingBytes;
    private volatile int wantedCopies;

    ReplicationTotals(long maxPendingBytes) {
        this.maxPendingBytes = maxPendingBytes;
    }

    void added(long bytes) {
        pendingBytes.addAndGet(bytes);
    }

    void removed(long bytes) {
        if (bytes > 0) {
            pendingBytes.addAndGet(-bytes);
        }
    }

    long pendingBytes() {
        return pendingBytes.get();
    }

    /**
     * Admits a change that adds about {@code bytes} to the pending batches, unless they would exceed the limit. A
     * change is always admitted when nothing else waits. While the change is carried out it may count twice, which
     * refuses other changes too early but admits none too many.
     *
     * @return whether the change is admitted
     */
    boolean admit(long bytes) {
        long before = admittedBytes.getAndAdd(bytes) + pendingBytes.get();
        if (before > 0 && before + bytes > maxPendingBytes) {
            admittedBytes.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Ends an admitted change: its batches are counted among the pending ones now. */
    void carriedOut(long bytes) {
        admittedBytes.addAndGet(-bytes);
    }

    int wantedCopies() {
        return wantedCopies;
    }

    void wantCopies(int count) {
        wantedCopies = count;
    }

    /** Returns how many members a zone needs to take writes. */
    int floor() {
        return WantedCopies.floor(wantedCopies);
    }
}
