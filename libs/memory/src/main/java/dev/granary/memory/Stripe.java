package dev.granary.memory;

import java.util.concurrent.locks.ReentrantLock;

/**
 * One of the independent parts into which creates are spread: an arena with its lock, a source of LIDs, and counters.
 * The counters are those of the chunks whose blocks lie here; chunks of no bytes count where they are created or
 * deleted, so that only the sum over all stripes means something.
 */
final class Stripe {

    final ReentrantLock lock = new ReentrantLock();
    final BlockArena arena;
    final LidSource lids;
    private final Vmb vmb;
    private final CidTable table;
    private long chunks;
    private long payloadBytes;

    Stripe(Vmb vmb, CidTable table, FreshLids fresh, BlockArena arena) {
        this.vmb = vmb;
        this.table = table;
        this.arena = arena;
        this.lids = new LidSource(vmb, table, fresh);
    }

    /** Why a stripe could not reserve what was asked for. */
    enum Outcome {
        DONE,
        NO_LID,
        NO_MEMORY
    }

    /**
     * Reserves LIDs, table entries and blocks for chunks, all or none. Under the lock.
     *
     * @param exhaustive whether to search free lists for long
     */
    Outcome reserve(Reservation to, int[] sizesBytes, int from, int count, boolean exhaustive) {
        for (int i = 0; i < count; i++) {
            long lid = lids.take();
            long entry = lid == LidSource.NONE ? 0 : table.findOrMake(lid, arena, exhaustive);
            if (entry == 0) {
                if (lid != LidSource.NONE) {
                    lids.giveBackLast(lid);
                }
                giveBack(to, i);
                return lid == LidSource.NONE ? Outcome.NO_LID : Outcome.NO_MEMORY;
            }
            to.lids[i] = lid;
            to.entries[i] = entry;
        }
        if (!arena.allocateRun(sizesBytes, from, count, to.blocks)
                && !allocateEach(to, sizesBytes, from, count, exhaustive)) {
            giveBack(to, count);
            return Outcome.NO_MEMORY;
        }
        for (int i = 0; i < count; i++) {
            payloadBytes += sizesBytes[from + i];
        }
        chunks += count;
        to.count = count;
        return Outcome.DONE;
    }

    /** Allocates the block of a chunk that exists already. Under the lock. Returns 0 if there is no room. */
    long allocate(int sizeBytes, boolean exhaustive) {
        long block = sizeBytes == 0
                ? EntryLayout.EMPTY_CHUNK
                : arena.allocate(BlockArena.blockBytes(sizeBytes), Marker.chunk(sizeBytes), exhaustive);
        if (block != 0) {
            payloadBytes += sizeBytes;
        }
        return block;
    }

    /** Frees the block of a chunk. Under the lock. */
    void free(long block, int sizeBytes) {
        if (block != EntryLayout.EMPTY_CHUNK) {
            arena.free(block, BlockArena.blockBytes(sizeBytes));
        }
        payloadBytes -= sizeBytes;
    }

    /**
     * Ends a chunk's life: frees its LID by writing its entry, which also gives up the entry's lock. Under the lock.
     *
     * @return whether {@link CidTable#noteFree} must be called, after the lock
     */
    boolean retire(long lid, long entry) {
        chunks--;
        boolean cached = lids.cache().hasRoom();
        vmb.setRelease(entry, cached ? EntryLayout.FREE_CACHED : EntryLayout.FREE_LISTED);
        if (cached) {
            lids.cache().push(lid);
        }
        return !cached;
    }

    /** Under the lock. */
    long chunks() {
        return chunks;
    }

    /** Under the lock. */
    long payloadBytes() {
        return payloadBytes;
    }

    private void giveBack(Reservation from, int count) {
        for (int i = count - 1; i >= 0; i--) {
            lids.giveBack(from.lids[i], from.entries[i]);
        }
    }

    private boolean allocateEach(Reservation to, int[] sizesBytes, int from, int count, boolean exhaustive) {
        for (int i = 0; i < count; i++) {
            int size = sizesBytes[from + i];
            to.blocks[i] = size == 0
                    ? EntryLayout.EMPTY_CHUNK
                    : arena.allocate(BlockArena.blockBytes(size), Marker.chunk(size), exhaustive);
            if (to.blocks[i] == 0) {
                for (int k = 0; k < i; k++) {
                    if (to.blocks[k] != EntryLayout.EMPTY_CHUNK) {
                        arena.free(to.blocks[k], BlockArena.blockBytes(sizesBytes[from + k]));
                    }
                }
                return false;
            }
        }
        return true;
    }
}
