package dev.granary.memory;

/** Takes chunks and blocks away. Thread-safe. */
final class Removal {

    private final Vmb vmb;
    private final Extents extents;
    private final CidTable table;
    private final Versions versions;
    private final Stripes stripes;

    Removal(Parts parts) {
        this.vmb = parts.vmb();
        this.extents = parts.extents();
        this.table = parts.table();
        this.versions = parts.versions();
        this.stripes = parts.stripes();
    }

    /** Deletes a chunk. Returns false if there is none. */
    boolean delete(long lid) {
        long entry = table.find(lid);
        long word = entry == 0 ? ChunkLock.ABSENT : ChunkLock.lockForWriting(vmb, entry);
        if (word == ChunkLock.ABSENT) {
            return false;
        }
        versions.count(lid);
        retire(lid, entry, EntryLayout.address(word), Chunks.size(vmb, word));
        return true;
    }

    /** Ends the life of a chunk whose lock is held, or that nobody has seen yet. */
    void retire(long lid, long entry, long block, int sizeBytes) {
        Stripe stripe = lockOwner(block);
        boolean note;
        try {
            // The entry first: from then on nobody gets the address that is freed.
            note = stripe.retire(lid, entry);
            stripe.free(block, sizeBytes);
        } finally {
            stripe.lock.unlock();
        }
        if (note) {
            table.noteFree(lid);
        }
    }

    /** Frees a block that no entry has any more, or yet. */
    void free(long block, int sizeBytes) {
        Stripe stripe = lockOwner(block);
        try {
            stripe.free(block, sizeBytes);
        } finally {
            stripe.lock.unlock();
        }
    }

    private Stripe lockOwner(long block) {
        if (block == EntryLayout.EMPTY_CHUNK) {
            return stripes.lockAny();
        }
        Stripe owner = stripes.get(extents.owner(block));
        owner.lock.lock();
        return owner;
    }
}
