package dev.granary.memory;

/**
 * All stripes, and who uses which. A thread stays with the stripe that it last found unlocked, so threads that create
 * at the same time soon have one each and do not wait for each other, while a single thread uses a single one.
 * Thread-safe.
 */
final class Stripes {

    private static final int HINTS = 256;

    private final Stripe[] stripes;
    private final long capacityBytes;
    private final FreshLids fresh;

    /** The preferred stripe by a hash of the thread. Written without a lock: a wrong one only costs time. */
    private final byte[] hints = new byte[HINTS];

    Stripes(Stripe[] stripes, long capacityBytes, FreshLids fresh) {
        this.stripes = stripes;
        this.capacityBytes = capacityBytes;
        this.fresh = fresh;
    }

    /** How many a machine and a VMB should have. */
    static int sensibleCount(int processors, long capacityBytes) {
        return Math.max(1, Math.min(2 * processors, Extents.sensibleArenas(capacityBytes)));
    }

    Stripe get(int index) {
        return stripes[index];
    }

    int count() {
        return stripes.length;
    }

    /** What this takes on the heap. */
    long heapBytes() {
        return HINTS + (long) stripes.length * LidCache.CAPACITY * Long.BYTES;
    }

    /** Locks the calling thread's stripe, or another one when that is busy. */
    Stripe lockAny() {
        int hint = hint();
        int preferred = hints[hint];
        for (int i = 0; i < stripes.length; i++) {
            int index = (preferred + i) % stripes.length;
            if (stripes[index].lock.tryLock()) {
                if (i > 0) {
                    hints[hint] = (byte) index;
                }
                return stripes[index];
            }
        }
        stripes[preferred].lock.lock();
        return stripes[preferred];
    }

    /**
     * Reserves what chunks need in one stripe, whichever has it.
     *
     * @throws OutOfChunkMemoryException if none has the memory
     * @throws LidsExhaustedException if none has the LIDs
     */
    void reserve(Reservation to, int[] sizesBytes, int from, int count) {
        Stripe own = lockAny();
        try {
            if (own.reserve(to, sizesBytes, from, count, false) == Stripe.Outcome.DONE) {
                return;
            }
        } finally {
            own.lock.unlock();
        }
        boolean noLid = true;
        for (int i = 0; i < 2 * stripes.length; i++) {
            Stripe stripe = stripes[i % stripes.length];
            stripe.lock.lock();
            try {
                Stripe.Outcome outcome = stripe.reserve(to, sizesBytes, from, count, i >= stripes.length);
                if (outcome == Stripe.Outcome.DONE) {
                    return;
                }
                noLid &= outcome == Stripe.Outcome.NO_LID;
            } finally {
                stripe.lock.unlock();
            }
        }
        if (noLid) {
            throw new LidsExhaustedException(fresh.endExclusive());
        }
        long needed = 0;
        for (int i = 0; i < count; i++) {
            needed += BlockArena.blockBytes(sizesBytes[from + i]);
        }
        throw new OutOfChunkMemoryException(needed, capacityBytes);
    }

    /**
     * Allocates a block for a chunk that exists, in whichever stripe has room.
     *
     * @throws OutOfChunkMemoryException if none has
     */
    long allocate(int sizeBytes) {
        Stripe own = lockAny();
        try {
            long block = own.allocate(sizeBytes, false);
            if (block != 0) {
                return block;
            }
        } finally {
            own.lock.unlock();
        }
        for (int i = 0; i < 2 * stripes.length; i++) {
            Stripe stripe = stripes[i % stripes.length];
            stripe.lock.lock();
            try {
                long block = stripe.allocate(sizeBytes, i >= stripes.length);
                if (block != 0) {
                    return block;
                }
            } finally {
                stripe.lock.unlock();
            }
        }
        throw new OutOfChunkMemoryException(BlockArena.blockBytes(sizeBytes), capacityBytes);
    }

    private static int hint() {
        long id = Thread.currentThread().threadId();
        return (int) ((id * 0x9e3779b97f4a7c15L) >>> 56);
    }
}
