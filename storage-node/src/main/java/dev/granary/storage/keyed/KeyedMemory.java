package dev.granary.storage.keyed;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.memory.ChunkMemory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts and bounds what keyed data takes outside the heap, the entries and indexes of all slot groups of this peer
 * (SAFETY rule "budgets"). The indexes lie beside the chunk memory: they have a share of the memory plan, and beyond it
 * what the chunk memory sets aside for them (ADR 0322). Thread-safe.
 */
public final class KeyedMemory {

    /**
     * What {@value #LIDS_COUNTED} consecutive LIDs take beside the bytes of their entries, as soon as one of them has
     * an entry: their group of a packed page, an eighth of the page, and a bit for each (ADR 0378).
     */
    static final int LIDS_COST_BYTES = 128;

    /** How many LIDs count together. */
    static final int LIDS_COUNTED = 64;

    private final AtomicLong indexBytes = new AtomicLong();
    private final AtomicLong usedBytes = new AtomicLong();
    private final long plannedIndexBytes;
    private final KeyedLimits limits;

    /** What has set memory aside for indexes, and how much. */
    @GuardedBy("this")
    private @Nullable Lender lender;

    @GuardedBy("this")
    private long lentBytes;

    /** What keys may take with regard to the other chunks; counts only while keys are evicted. */
    private volatile long besideChunks = Long.MAX_VALUE;

    /** Gives room to indexes that it does not use itself: a chunk memory. Two are equal if they are the same memory. */
    interface Lender {

        /** Nothing more than the share of the plan. */
        Lender NONE = bytes -> 0;

        /** Does {@link ChunkMemory#setAside}. */
        long setAside(long bytes);

        static Lender of(ChunkMemory memory) {
            return new ChunkLender(memory);
        }
    }

    private record ChunkLender(ChunkMemory memory) implements Lender {

        @Override
        public long setAside(long bytes) {
            return memory.setAside(bytes);
        }
    }

    /** @param plannedIndexBytes what the indexes may take of the memory plan, beside the chunk memory */
    public KeyedMemory(long plannedIndexBytes, KeyedLimits limits) {
        this.plannedIndexBytes = plannedIndexBytes;
        this.limits = limits;
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

    /** Returns what the indexes take of their share of the memory plan. */
    long plannedIndexBytes() {
        return Math.min(plannedIndexBytes, indexBytes.get());
    }

    /**
     * Takes room for an index. The limit of keys is not looked at: an index must grow also for entries that others
     * bring.
     *
     * @throws KeyspaceFullException when there is none; nothing is taken
     */
    synchronized void takeIndex(long bytes, Lender from) {
        long wanted = indexBytes.get() + bytes;
        if (wanted - plannedIndexBytes > lentBy(from) && !borrow(from, wanted - plannedIndexBytes)) {
            throw new KeyspaceFullException("there is no memory for the indexes of keys: they have " + indexBytes.get()
                    + " bytes, and the chunk memory is full");
        }
        indexBytes.set(wanted);
        usedBytes.addAndGet(bytes);
    }

    /** Gives room of an index back. Whoever has set it aside is still there. */
    synchronized void giveIndex(long bytes, Lender to) {
        long left = indexBytes.addAndGet(-bytes);
        usedBytes.addAndGet(-bytes);
        if (lentBy(to) > 0) {
            borrow(to, Math.max(0, left - plannedIndexBytes));
        }
    }

    /** Another chunk memory has set nothing aside yet. */
    @GuardedBy("this")
    private long lentBy(Lender from) {
        return from.equals(lender) ? lentBytes : 0;
    }

    @GuardedBy("this")
    private boolean borrow(Lender from, long bytes) {
        lender = from;
        lentBytes = from.setAside(bytes);
        return lentBytes >= bytes;
    }
}
