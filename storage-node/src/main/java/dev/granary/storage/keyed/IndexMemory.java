package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.util.concurrent.atomic.AtomicLong;

/** Counts and bounds what the indexes of all slot groups take outside the heap (SAFETY rule "budgets"). Thread-safe. */
public final class IndexMemory {

    private final AtomicLong bytes = new AtomicLong();
    private final long maxBytes;

    public IndexMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Returns how many bytes the indexes take. */
    public long bytes() {
        return bytes.get();
    }

    /**
     * Takes room.
     *
     * @throws KeyspaceFullException when there is none; nothing is taken
     */
    void take(long sizeBytes) {
        if (bytes.addAndGet(sizeBytes) > maxBytes) {
            give(sizeBytes);
            throw new KeyspaceFullException(
                    "the indexes of keys have used the " + maxBytes + " bytes that this storage peer has for them");
        }
    }

    void give(long sizeBytes) {
        bytes.addAndGet(-sizeBytes);
    }
}
