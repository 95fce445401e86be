package dev.granary.storage.replicate;

import java.util.concurrent.atomic.AtomicLong;

/** What all zones of an owner share: how much waits for backups, and how many copies there should be. Thread-safe. */
final class ReplicationTotals {

    private final AtomicLong pendingBytes = new AtomicLong();

    /** Of changes that were taken and may not be among those that wait yet. */
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
     * Takes a change that adds about so much to what waits for backups, unless that becomes too much; one that finds
     * nothing else is always taken. It counts twice while it is carried out,
     * which keeps out others and lets nothing in.
     */
    boolean admit(long bytes) {
        long before = admittedBytes.getAndAdd(bytes) + pendingBytes.get();
        if (before > 0 && before + bytes > maxPendingBytes) {
            admittedBytes.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** A change that was taken is carried out: what it has added waits for backups. */
    void carriedOut(long bytes) {
        admittedBytes.addAndGet(-bytes);
    }

    int wantedCopies() {
        return wantedCopies;
    }

    void wantCopies(int count) {
        wantedCopies = count;
    }

    /**
     * How many members a zone needs, so that writes are acknowledged: one fewer than it should have, but at least one.
     */
    int floor() {
        int wanted = wantedCopies;
        return wanted == 0 ? 0 : Math.max(1, wanted - 1);
    }
}
