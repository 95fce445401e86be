package dev.granary.memory.page;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.Extents;

/**
 * All stripes, and who uses which. A thread stays with the stripe that it last found unlocked, so threads that create
 * at the same time soon have one each and do not wait for each other, while a single thread uses a single one.
 * Thread-safe.
 */
public final class Stripes implements BlockSource {

    private static final int HINTS = 256;

    private final Space space;
    private final Stripe[] stripes;

    /** The preferred stripe by a hash of the thread. Written without a lock: a wrong one only costs time. */
    private final byte[] hints = new byte[HINTS];

    private Stripes(Space space, Stripe[] stripes) {
        this.space = space;
        this.stripes = stripes;
    }

    public static Stripes make(Space space, int count) {
        Stripe[] all = new Stripe[count];
        for (int i = 0; i < count; i++) {
            all[i] = new Stripe(space, new BlockArena(space.vmb, space.extents, i, Space.anchors(i)), i, all);
        }
        return new Stripes(space, all);
    }

    /** How many a machine and a VMB should have. */
    public static int sensibleCount(int processors, long capacityBytes) {
        return Math.max(1, Math.min(2 * processors, Extents.sensibleArenas(capacityBytes)));
    }

    public Stripe get(int index) {
        return stripes[index];
    }

    public int count() {
        return stripes.length;
    }

    /** The arena of a stripe, or that of nodes behind the last one. */
    public BlockArena arena(int index) {
        return index < stripes.length ? stripes[index].arena : space.nodes.arena();
    }

    /** What this takes on the heap. */
    long heapBytes() {
        long bytes = HINTS;
        for (Stripe stripe : stripes) {
            bytes += stripe.heapBytes();
        }
        return bytes;
    }

    /** Locks the calling thread's stripe, or another one when that is busy. */
    public Stripe lockAny() {
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
     * Keeps creates away from a page whose exclusive latch is held, so that its form can change.
     *
     * @return whether it was open or listed: then {@link #noteFree} must follow
     */
    public boolean forget(long page) {
        Stripe owner = get(Page.owner(space.vmb.getAcquire(page + Page.STATE)));
        owner.lock.lock();
        try {
            boolean known = (space.vmb.getAcquire(page + Page.STATE) & (Page.OPEN | Page.LISTED)) != 0;
            owner.forget(page);
            return known;
        } finally {
            owner.lock.unlock();
        }
    }

    /**
     * Ends creates in a page until its exclusive latch, which the caller holds, is released. Without this a create in
     * an open page would choose slots and fill them under the owner's lock alone.
     */
    public void close(long page) {
        Stripe owner = get(Page.owner(space.vmb.getAcquire(page + Page.STATE)));
        owner.lock.lock();
        try {
            owner.fillerOf(page).close(page);
        } finally {
            owner.lock.unlock();
        }
    }

    /** Lets chunks be created in a page again. */
    public void noteFree(long page) {
        Stripe owner = get(Page.owner(space.vmb.getAcquire(page + Page.STATE)));
        owner.lock.lock();
        try {
            owner.noteFree(page);
        } finally {
            owner.lock.unlock();
        }
    }

    /** The directory entry of a CID's page, made if there is none; 0 if there is no room for it. */
    public long findOrMakePage(long cid) {
        int nid = (int) (cid >>> 48);
        long lid = cid & ChunkMemory.MAX_LID;
        PageTable table = space.nids.table(nid);
        long page = table == null ? 0 : table.find(lid);
        for (int i = 0; page == 0 && i < 2 * stripes.length; i++) {
            Stripe stripe = stripes[i % stripes.length];
            stripe.lock.lock();
            try {
                stripe.prepare(i >= stripes.length);
                PageTable made = space.nids.tableOrMake(nid, stripe);
                page = made == null ? 0 : made.findOrMake(lid, stripe.arena, i >= stripes.length);
            } finally {
                stripe.lock.unlock();
            }
        }
        return page;
    }

    /** Keeps the number of an own page without chunks for later. */
    public void giveNumberBack(long number) {
        Stripe stripe = lockAny();
        try {
            stripe.giveNumberBack(number);
        } finally {
            stripe.lock.unlock();
        }
    }

    /** Allocates a block in whichever stripe has room. The caller holds no stripe's lock. */
    @Override
    public long allocate(long sizeBytes, int alignment, int kind) {
        Stripe own = lockAny();
        try {
            own.prepare(false);
            long block = own.allocate(sizeBytes, alignment, kind);
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
                stripe.prepare(i >= stripes.length);
                long block = stripe.allocate(sizeBytes, alignment, kind);
                if (block != 0) {
                    return block;
                }
            } finally {
                stripe.lock.unlock();
            }
        }
        return 0;
    }

    /** The same for blocks that are moved together: where it is possible, no small free blocks are left. */
    public BlockSource tidy() {
        return new BlockSource() {
            @Override
            public long allocate(long sizeBytes, int alignment, int kind) {
                Stripe own = lockAny();
                try {
                    own.prepare(false);
                    long block = own.arena.allocateTidy(sizeBytes, alignment, kind);
                    if (block != 0) {
                        return block;
                    }
                } finally {
                    own.lock.unlock();
                }
                return Stripes.this.allocate(sizeBytes, alignment, kind);
            }

            @Override
            public void free(long block, long sizeBytes) {
                Stripes.this.free(block, sizeBytes);
            }
        };
    }

    /** Frees a block. The caller holds no stripe's lock. */
    @Override
    public void free(long block, long sizeBytes) {
        Stripe owner = stripes[space.extents.owner(block)];
        owner.lock.lock();
        try {
            owner.arena.free(block, sizeBytes);
        } finally {
            owner.lock.unlock();
        }
    }

    private static int hint() {
        long id = Thread.currentThread().threadId();
        return (int) ((id * 0x9e3779b97f4a7c15L) >>> 56);
    }
}
