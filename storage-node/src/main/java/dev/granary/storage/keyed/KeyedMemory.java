package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts and bounds what keyed data takes outside the heap, the entries and indexes of all slot groups of this peer
 * (SAFETY rule "budgets"). The indexes have a bound of their own, as they lie beside the chunk memory. Thread-safe.
 */
public final class KeyedMemory {

    /** What an entry takes in chunk memory beside its bytes, as measured (ADR 0301). */
    static final int ENTRY_COST_BYTES = 4;

    private final AtomicLong indexBytes = new AtomicLong();
    private final AtomicLong usedBytes = new AtomicLong();
    private final long maxIndexBytes;
    private final KeyedLimits limits;

    /** What keys may take with regard to the other chunks; counts only while keys are evicted. */
    private volatile long besideChunks = Long.MAX_VALUE;

    /** @param maxIndexBytes what the indexes may take */
    public KeyedMemory(long maxIndexBytes, KeyedLimits limits) {
        this.maxIndexBytes = maxIndexBytes;
        this.limits = limits;
    }

    /** Returns how many bytes an entry of a size counts. */
    static long cost(int entryBytes) {
        return entryBytes + (long) ENTRY_COST_BYTES;
    }

    /** Returns how many bytes the indexes take. */
    long indexBytes() {
        return indexBytes.get();
    }

    /** Returns how many bytes entries and indexes take. */
    long usedBytes() {
        return usedBytes.get();
    }

    /** Returns how many bytes they may take; {@link Long#MAX_VALUE} when only the chunk memory bounds them. */
    long limitBytes() {
        return limits.policy().evicts() ? Math.min(limits.maxBytes(), besideChunks) : limits.maxBytes();
    }

    /** Returns what makes way when there is no room. */
    EvictionPolicy policy() {
        return limits.policy();
    }

    /** Sets what keys may take with regard to the other chunks, if keys are evicted. */
    void besideChunks(long bytes) {
        besideChunks = Math.max(0, bytes);
    }

    /** Returns whether so much more could be taken. */
    boolean hasRoom(long bytes) {
        return usedBytes.get() <= limitBytes() - bytes;
    }

    /** Takes room, unless it is not there. Returns whether it was taken. */
    boolean take(long bytes) {
        long limit = limitBytes();
        long used = usedBytes.get();
        while (used <= limit - bytes) {
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
            used = usedBytes.get();
        }
        return false;
    }

    /** Counts what is there already, whether there was room for it or not. */
    void add(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    void give(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /**
     * Takes room for an index. Only the bound of indexes is looked at: an index must grow also for entries that others
     * bring.
     *
     * @throws KeyspaceFullException when there is none; nothing is taken
     */
    void takeIndex(long bytes) {
        if (indexBytes.addAndGet(bytes) > maxIndexBytes) {
            indexBytes.addAndGet(-bytes);
            throw new KeyspaceFullException("the indexes of keys have used the " + maxIndexBytes
                    + " bytes that this storage peer has for them");
        }
        usedBytes.addAndGet(bytes);
    }

    void giveIndex(long bytes) {
        indexBytes.addAndGet(-bytes);
        usedBytes.addAndGet(-bytes);
    }
}
