package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.NotPinnedException;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.PinnedException;
import dev.granary.memory.ReadOnlyException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Reclaimer;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.SegmentExporter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes chunks that exist, and inserts chunks of other peers. Sizes and bounds have been checked. Thread-safe.
 */
final class Changes {

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final Resizer resizer;
    private final Inserter inserter;
    private final Reclaimer reclaimer;

    Changes(Space space, Stripes stripes, Reclaimer reclaimer) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.resizer = new Resizer(space, stripes);
        this.inserter = new Inserter(space, stripes, resizer);
        this.reclaimer = reclaimer;
    }

    /** Writes a chunk's bytes if it has this size. Returns its size, or ABSENT. */
    int put(long page, long cid, MemorySegment source, long offset, int sizeBytes) {
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            long entry = locate(page, cid);
            if (entry == EntryLayout.NO_CHUNK) {
                return ChunkMemory.ABSENT;
            }
            int present = Chunks.size(vmb, entry);
            if (present == sizeBytes) {
                requireWritable(page, cid, entry);
                vmb.copyIn(source, offset, Chunks.payloadOf(entry, sizeBytes), sizeBytes);
            }
            return present;
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    /** Lets an object write a chunk of its size. Returns the chunk's size, or ABSENT. */
    int put(long page, long cid, Exportable object, int sizeBytes) {
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            long entry = locate(page, cid);
            if (entry == EntryLayout.NO_CHUNK) {
                return ChunkMemory.ABSENT;
            }
            int present = Chunks.size(vmb, entry);
            if (present == sizeBytes) {
                requireWritable(page, cid, entry);
                SegmentExporter out = vmb.exporter(Chunks.payloadOf(entry, sizeBytes), sizeBytes);
                object.exportTo(out);
                if (out.writtenBytes() != sizeBytes) {
                    throw new SizeMismatchException("the object, as it announced,", sizeBytes, out.writtenBytes());
                }
            }
            return present;
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    /** Replaces a chunk's bytes by others of any size. Returns false if there is no such chunk. */
    boolean replace(long page, long cid, MemorySegment source, long offset, int sizeBytes) {
        return change(page, cid, source, offset, sizeBytes);
    }

    /** Changes a chunk's size; new bytes are zero. Returns false if there is no such chunk. */
    boolean resize(long page, long cid, int sizeBytes) {
        return change(page, cid, null, 0, sizeBytes);
    }

    private boolean change(long page, long cid, @Nullable MemorySegment source, long offset, int sizeBytes) {
        for (boolean again = false; ; again = true) {
            Latch.lockExclusive(vmb, page + Page.LATCH);
            try {
                long entry = locate(page, cid);
                if (entry == EntryLayout.NO_CHUNK) {
                    return false;
                }
                if (changeLatched(page, cid, entry, source, offset, sizeBytes)) {
                    return true;
                }
            } finally {
                Latch.unlockExclusive(vmb, page + Page.LATCH);
            }
            reclaim(sizeBytes, again);
        }
    }

    private boolean changeLatched(
            long page, long cid, long entry, @Nullable MemorySegment source, long offset, int sizeBytes) {
        int present = Chunks.size(vmb, entry);
        requireWritable(page, cid, entry);
        long payload = Chunks.payloadOf(entry, present);
        if (present != sizeBytes) {
            if (space.pins.isPinned(vmb, page, cid)) {
                throw new PinnedException(cid, "cannot get another size");
            }
            requireReadable(source);
            payload = resizer.resize(page, Page.slot(cid), entry, sizeBytes);
            if (payload == 0) {
                return false;
            }
        }
        if (source != null) {
            vmb.copyIn(source, offset, payload, sizeBytes);
        } else if (sizeBytes > present) {
            vmb.zero(payload + present, sizeBytes - present);
        }
        return true;
    }

    /** Makes a chunk with a given CID. Returns false if there is one. */
    boolean insert(long cid, MemorySegment source, long offset, int sizeBytes) {
        for (boolean again = false; ; again = true) {
            long page = stripes.findOrMakePage(cid);
            if (page != 0) {
                int index = Page.slot(cid);
                Latch.lockExclusive(vmb, page + Page.LATCH);
                try {
                    if (locate(page, cid) != EntryLayout.NO_CHUNK) {
                        return false;
                    }
                    if (cid >>> 48 == space.nid) {
                        inserter.closeToCreates(page);
                        if (locate(page, cid) != EntryLayout.NO_CHUNK) {
                            return false;
                        }
                    }
                    requireReadable(source);
                    if (insertLatched(page, index, source, offset, sizeBytes)) {
                        inserter.publish(page, index, sizeBytes, cid >>> 48 == space.nid);
                        return true;
                    }
                } finally {
                    Latch.unlockExclusive(vmb, page + Page.LATCH);
                }
            }
            reclaim(sizeBytes, again);
        }
    }

    /** Writes a chunk that is not known yet. Returns false if there is no room. */
    private boolean insertLatched(long page, int index, MemorySegment source, long offset, int sizeBytes) {
        long payload = inserter.insert(page, index, sizeBytes);
        boolean written = false;
        try {
            if (payload != 0) {
                vmb.copyIn(source, offset, payload, sizeBytes);
                written = true;
            }
        } finally {
            // Others may close the source while it is read.
            if (payload != 0 && !written) {
                inserter.abandon(page, index, sizeBytes);
            }
        }
        return written;
    }

    /** Returns false if there is no such chunk. */
    boolean setReadOnly(long page, long cid) {
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            long entry = locate(page, cid);
            if (entry == EntryLayout.NO_CHUNK) {
                return false;
            }
            long form = vmb.getAcquire(page);
            if (Page.kind(form) == Page.ENTRIES) {
                long word = Page.base(form) + (long) Page.slot(cid) * EntryLayout.BYTES;
                vmb.setRelease(word, vmb.getAcquire(word) | EntryLayout.READ_ONLY);
                return true;
            }
            if (!resizer.extend(page)) {
                throw new OutOfChunkMemoryException(Meta.EXTENDED_BYTES, vmb.capacityBytes());
            }
            Stripe owner = resizer.lockOwner(page);
            try {
                Meta.set(vmb, Page.meta(vmb.getAcquire(page + Page.STATE)) + Meta.READ_ONLY, Page.slot(cid));
            } finally {
                owner.lock.unlock();
            }
            return true;
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    /** Returns the native address of a chunk that stays where it is from now on, or 0 if there is none. */
    long pin(long page, long cid) {
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            long entry = locate(page, cid);
            if (entry == EntryLayout.NO_CHUNK) {
                return 0;
            }
            if (Page.kind(vmb.getAcquire(page)) == Page.PACKED) {
                entry = resizer.moveOut(page, Page.slot(cid), entry);
                if (entry == EntryLayout.NO_CHUNK) {
                    throw new OutOfChunkMemoryException(EntryLayout.BYTES, vmb.capacityBytes());
                }
            }
            if (!changePins(page, () -> space.pins.pin(vmb, page, cid))) {
                throw new PinnedException(cid, "cannot be pinned twice");
            }
            return vmb.nativeAddress(Chunks.payloadOf(entry, Chunks.size(vmb, entry)));
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    void unpin(long page, long cid) {
        if (page == 0) {
            throw new NotPinnedException(cid);
        }
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            if (!changePins(page, () -> space.pins.unpin(vmb, page, cid))) {
                throw new NotPinnedException(cid);
            }
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    private boolean changePins(long page, BooleanSupplier change) {
        Stripe owner = resizer.lockOwner(page);
        try {
            space.sparse.leave(page);
            boolean changed = change.getAsBoolean();
            space.sparse.enter(page);
            return changed;
        } finally {
            owner.lock.unlock();
        }
    }

    private long locate(long page, long cid) {
        return space.locator.locate(page, Latch.HELD, vmb.getAcquire(page), Page.slot(cid));
    }

    private void requireWritable(long page, long cid, long entry) {
        boolean readOnly = (entry & EntryLayout.READ_ONLY) != 0;
        long state = vmb.getAcquire(page + Page.STATE);
        if ((state & Page.EXTENDED) != 0) {
            readOnly = Meta.isSet(vmb, Page.meta(state) + Meta.READ_ONLY, Page.slot(cid));
        }
        if (readOnly) {
            throw new ReadOnlyException(cid, "cannot be changed");
        }
    }

    /** Throws if a source cannot be read. Call it before a change that an unreadable source would leave half done. */
    static void requireReadable(@Nullable MemorySegment source) {
        if (source != null && source.byteSize() > 0) {
            source.get(ValueLayout.JAVA_BYTE, 0);
        }
    }

    private void reclaim(int sizeBytes, boolean again) {
        if (again) {
            throw new OutOfChunkMemoryException(Chunks.blockBytes(sizeBytes), vmb.capacityBytes());
        }
        reclaimer.reclaimOrThrow(Chunks.blockBytes(sizeBytes), vmb.capacityBytes());
    }
}
