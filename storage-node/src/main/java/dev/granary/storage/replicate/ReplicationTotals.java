package dev.granary.storage.replicate;

import java.util.concurrent.atomic.AtomicLong;

/** What all zones of an owner share: how much waits for backups, and how many copies there should be. Thread-safe. */
final class ReplicationTotals {

    private final AtomicLong pendingBytes = new AtomicLong();
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

    /** Whether so much waits for backups that no more is taken. */
    boolean isFull() {
        return pendingBytes.get() >= maxPendingBytes;
    }

    int wantedCopies() {
        return wantedCopies;
    }

    void wantCopies(int count) {
        wantedCopies = count;
    }

    /** How many members a zone needs, so that writes are acknowledged: one fewer than it should have, but at least one. */
    int floor() {
        int wanted = wantedCopies;
        return wanted == 0 ? 0 : Math.max(1, wanted - 1);
    }
}
