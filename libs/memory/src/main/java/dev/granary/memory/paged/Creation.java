package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Reclaimer;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Outcome;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Slot;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.SegmentExporter;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Makes chunks: finds a place, fills it while nobody knows it, and publishes it. Sizes and bounds have been checked.
 * Thread-safe.
 */
final class Creation {

    /** How many chunks of a batch are made before other threads get a chance to use the stripe. */
    private static final int PIECE = 512;

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final Removal removal;
    private final Reclaimer reclaimer;
    private final long nidBits;

    Creation(Space space, Stripes stripes, Removal removal, Reclaimer reclaimer) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.removal = removal;
        this.reclaimer = reclaimer;
        this.nidBits = (long) space.nid << 48;
    }

    /** Creates a chunk with bytes of a segment, or with zeros if that is null. */
    long create(@Nullable MemorySegment source, long offset, int sizeBytes) {
        Stripe stripe = stripes.lockAny();
        try {
            if (stripe.place(sizeBytes, false) == Outcome.DONE) {
                return fill(stripe, source, offset, sizeBytes);
            }
        } finally {
            unlock(stripe);
        }
        stripe = placeHard(sizeBytes);
        try {
            return fill(stripe, source, offset, sizeBytes);
        } finally {
            unlock(stripe);
        }
    }

    /** Creates a chunk into which an object writes itself. */
    long create(Exportable object, int sizeBytes) {
        Slot place = new Slot();
        Stripe stripe = placeShared(place, sizeBytes);
        boolean done = false;
        try {
            SegmentExporter out = vmb.exporter(place.payload, sizeBytes);
            object.exportTo(out);
            if (out.writtenBytes() != sizeBytes) {
                throw new SizeMismatchException("the object, as it announced,", sizeBytes, out.writtenBytes());
            }
            done = true;
        } finally {
            stripe.lock.lock();
            try {
                if (done) {
                    long dead = space.sparse.deadBytes(place.page);
                    stripe.publish(place, sizeBytes);
                    space.sparse.changed(place.page, dead);
                } else {
                    stripe.abandon(place, sizeBytes);
                }
            } finally {
                stripe.lock.unlock();
                Latch.unlockShared(vmb, place.page + Page.LATCH);
            }
        }
        return cid(place);
    }

    /** Creates many chunks, all or none. */
    void create(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset, long[] cids) {
        Batch batch = new Batch(sizesBytes, source, offset, cids);
        try {
            while (batch.created < count) {
                int end = Math.min(count, batch.created + PIECE);
                createPiece(batch, end);
                if (batch.created < end) {
                    batch.add(create(source, batch.offset, batch.size()));
                }
            }
        } finally {
            if (batch.created < count) {
                // Nobody has been told these CIDs yet.
                for (int i = 0; i < batch.created; i++) {
                    removal.delete(space.table.find(cids[i] & ChunkMemory.MAX_LID), cids[i]);
                }
            }
        }
    }

    /** The progress of a batch. */
    private static final class Batch {

        final int[] sizesBytes;
        final @Nullable MemorySegment source;
        final long[] cids;
        long offset;
        int created;

        Batch(int[] sizesBytes, @Nullable MemorySegment source, long offset, long[] cids) {
            this.sizesBytes = sizesBytes;
            this.source = source;
            this.offset = offset;
            this.cids = cids;
        }

        /** Returns the size of the next chunk. */
        int size() {
            return sizesBytes[created];
        }

        void add(long cid) {
            cids[created] = cid;
            offset += sizesBytes[created++];
        }
    }

    /** Creates chunks in one stripe, as many as the stripe has room for. */
    private void createPiece(Batch batch, int to) {
        Stripe stripe = stripes.lockAny();
        try {
            if (space.layout == MemoryLayout.CLASSIC && to - batch.created > 1) {
                createRun(stripe, batch, to - batch.created);
            }
            while (batch.created < to && stripe.place(batch.size(), false) == Outcome.DONE) {
                batch.add(fill(stripe, batch.source, batch.offset, batch.size()));
            }
        } finally {
            unlock(stripe);
        }
    }

    /** Creates chunks whose blocks are one contiguous piece (DXMem section V-A), if there is one. */
    private void createRun(Stripe stripe, Batch batch, int count) {
        long[] blocks = new long[count];
        int first = batch.created;
        stripe.prepare(false);
        if (!stripe.arena.allocateRun(batch.sizesBytes, first, count, blocks)) {
            return;
        }
        try {
            while (batch.created < first + count
                    && stripe.entries().placeBlock(blocks[batch.created - first], batch.size(), stripe.slot)
                            == Outcome.DONE) {
                write(stripe.slot.payload, batch.source, batch.offset, batch.size());
                stripe.publish(stripe.slot, batch.size());
                batch.add(cid(stripe.slot));
            }
        } finally {
            for (int i = batch.created; i < first + count; i++) {
                if (blocks[i - first] != EntryLayout.EMPTY_CHUNK) {
                    stripe.free(blocks[i - first], Chunks.blockBytes(batch.sizesBytes[i]));
                }
            }
        }
    }

    /** Fills and publishes the place that a stripe has found. */
    private long fill(Stripe stripe, @Nullable MemorySegment source, long offset, int sizeBytes) {
        boolean done = false;
        try {
            write(stripe.slot.payload, source, offset, sizeBytes);
            stripe.publish(stripe.slot, sizeBytes);
            done = true;
            return cid(stripe.slot);
        } finally {
            if (!done) {
                stripe.abandon(stripe.slot, sizeBytes);
            }
        }
    }

    private void write(long payload, @Nullable MemorySegment source, long offset, int sizeBytes) {
        if (source == null) {
            vmb.zero(payload, sizeBytes);
        } else {
            vmb.copyIn(source, offset, payload, sizeBytes);
        }
    }

    /** Finds a place whose page stays latched, shared. Its stripe is not locked any more. */
    private Stripe placeShared(Slot place, int sizeBytes) {
        while (true) {
            Stripe stripe = stripes.lockAny();
            try {
                if (stripe.place(sizeBytes, false) == Outcome.DONE && share(stripe, place, sizeBytes)) {
                    return stripe;
                }
            } finally {
                unlock(stripe);
            }
            stripe = placeHard(sizeBytes);
            try {
                if (share(stripe, place, sizeBytes)) {
                    return stripe;
                }
            } finally {
                unlock(stripe);
            }
            Thread.onSpinWait();
        }
    }

    private static boolean share(Stripe stripe, Slot place, int sizeBytes) {
        if (!stripe.share()) {
            stripe.abandon(stripe.slot, sizeBytes);
            return false;
        }
        place.copyFrom(stripe.slot);
        return true;
    }

    /**
     * Finds a place in any stripe that has one.
     *
     * @return the stripe, locked
     * @throws OutOfChunkMemoryException if no stripe has the memory, after an attempt to defragment it
     * @throws LidsExhaustedException if no stripe has the LIDs
     */
    @SuppressWarnings("ThreadPriorityCheck")
    private Stripe placeHard(int sizeBytes) {
        boolean reclaimed = false;
        while (true) {
            boolean noLid = true;
            boolean busy = false;
            for (int i = 0; i < 3 * stripes.count(); i++) {
                Stripe stripe = stripes.get(i % stripes.count());
                boolean keep = false;
                stripe.lock.lock();
                try {
                    int round = i / stripes.count();
                    Outcome outcome = round == 2 ? stripe.placeAnywhere(sizeBytes) : stripe.place(sizeBytes, round > 0);
                    keep = outcome == Outcome.DONE;
                    if (keep) {
                        return stripe;
                    }
                    noLid &= outcome == Outcome.NO_LID;
                    busy |= outcome == Outcome.BUSY;
                } finally {
                    if (!keep) {
                        unlock(stripe);
                    }
                }
            }
            if (busy) {
                // The threads that hold the latches wait for nothing that this thread has.
                Thread.yield();
            } else if (noLid) {
                throw new LidsExhaustedException(space.numbers.endLid());
            } else if (reclaimed) {
                throw new OutOfChunkMemoryException(Chunks.blockBytes(sizeBytes), vmb.capacityBytes());
            } else {
                reclaimer.reclaimOrThrow(Chunks.blockBytes(sizeBytes), vmb.capacityBytes());
                reclaimed = true;
            }
        }
    }

    private static void unlock(Stripe stripe) {
        stripe.finish();
        stripe.lock.unlock();
    }

    private long cid(Slot place) {
        long number = Page.number(vmb.getAcquire(place.page + Page.NUMBER));
        return nidBits | number << Page.SLOT_BITS | place.index;
    }
}
