package dev.granary.memory.page;

import static dev.granary.memory.arena.EntryLayout.address;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Copies chunks out, never torn, and writes nothing: reads, validates the page's latch, reads again if it has changed
 * (ADR 0012).
 */
public class Reader {

    /** Instead of a size: the chunk is larger than the room for it, and nothing was copied. */
    public static final int DOES_NOT_FIT = -2;

    /** Instead of a size: something was being changed. */
    private static final int CHANGED = -3;

    /** After this many failed attempts a reader takes the latch, so that a stream of writers cannot keep it out. */
    private static final int ATTEMPTS = 64;

    /**
     * A copy of more bytes than these takes far longer than a latch, and is rarely left alone by those who write to 511
     * neighbours: after the first vain one the latch is taken.
     */
    static final int LARGE_BYTES = 16 << 10;

    /** Instead of a size: something was changed while many bytes were copied. */
    private static final int LARGE_CHANGED = -4;

    private final Vmb vmb;
    private final Locator locator;

    public Reader(Space space) {
        this.vmb = space.vmb;
        this.locator = space.locator;
    }

    /**
     * Copies a chunk to a segment.
     *
     * @param page directory entry of its page, or 0
     * @return its size, {@link ChunkMemory#ABSENT}, or {@link #DOES_NOT_FIT}
     */
    public int read(long page, int index, MemorySegment target, long offset, long capacityBytes) {
        if (page == 0) {
            return ChunkMemory.ABSENT;
        }
        long latch = vmb.getAcquire(page + Page.LATCH);
        long form = vmb.getAcquire(page);
        if ((form & Page.ALL_LIVE) != 0 && Latch.isReadable(latch)) {
            // The usual case, made fast.
            int stride = Page.stride(form);
            if (stride <= capacityBytes) {
                vmb.copyOut(Page.base(form) + (long) index * stride, target, offset, stride);
                VarHandle.acquireFence();
                if (Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
                    return stride;
                }
            }
        }
        return readAny(page, index, target, offset, capacityBytes);
    }

    private int readAny(long page, int index, MemorySegment target, long offset, long capacityBytes) {
        for (int i = 0; i < ATTEMPTS; i++) {
            int size = attempt(page, Latch.read(vmb, page + Page.LATCH), index, target, offset, capacityBytes);
            if (size == LARGE_CHANGED) {
                break;
            }
            if (size != CHANGED) {
                return size;
            }
        }
        Latch.lockShared(vmb, page + Page.LATCH);
        try {
            return attempt(page, Latch.HELD, index, target, offset, capacityBytes);
        } finally {
            Latch.unlockShared(vmb, page + Page.LATCH);
        }
    }

    /** The size of a chunk, or {@link ChunkMemory#ABSENT}. */
    public int sizeOf(long page, int index) {
        if (page == 0) {
            return ChunkMemory.ABSENT;
        }
        for (int i = 0; i < ATTEMPTS; i++) {
            int size = attemptSize(page, Latch.read(vmb, page + Page.LATCH), index);
            if (size != CHANGED) {
                return size;
            }
        }
        Latch.lockShared(vmb, page + Page.LATCH);
        try {
            return attemptSize(page, Latch.HELD, index);
        } finally {
            Latch.unlockShared(vmb, page + Page.LATCH);
        }
    }

    private int attemptSize(long page, long latch, int index) {
        long entry = locator.locate(page, latch, vmb.getAcquire(page), index);
        int size = entry == EntryLayout.NO_CHUNK ? ChunkMemory.ABSENT : EntryLayout.embeddedSize(entry);
        if (!EntryLayout.hasEmbeddedSize(entry)) {
            // The length bytes of a block are looked at only while the latch says that it is one.
            VarHandle.acquireFence();
            if (!Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
                return CHANGED;
            }
            size = Chunks.size(vmb, entry);
        }
        VarHandle.acquireFence();
        return Latch.isUnchanged(vmb, page + Page.LATCH, latch) ? size : CHANGED;
    }

    private int attempt(long page, long latch, int index, MemorySegment target, long offset, long capacityBytes) {
        long form = vmb.getAcquire(page);
        long entry = locator.locate(page, latch, form, index);
        int size = ChunkMemory.ABSENT;
        if (entry != EntryLayout.NO_CHUNK) {
            if (EntryLayout.hasEmbeddedSize(entry)) {
                size = EntryLayout.embeddedSize(entry);
                if (size <= capacityBytes && vmb.contains(address(entry), size)) {
                    vmb.copyOut(address(entry), target, offset, size);
                }
            } else {
                size = copyLarge(page, latch, entry, target, offset, capacityBytes);
            }
        }
        // What was read comes before the word that says whether it was changed meanwhile.
        VarHandle.acquireFence();
        if (!Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
            return size > LARGE_BYTES && size <= capacityBytes ? LARGE_CHANGED : CHANGED;
        }
        return size > capacityBytes ? DOES_NOT_FIT : size;
    }

    /** The length bytes of a block are looked at only while the latch says that it is one. */
    private int copyLarge(long page, long latch, long entry, MemorySegment target, long offset, long capacityBytes) {
        if (!Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
            return ChunkMemory.ABSENT;
        }
        int size = Chunks.size(vmb, entry);
        VarHandle.acquireFence();
        if (!Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
            return ChunkMemory.ABSENT;
        }
        if (size <= capacityBytes) {
            copyBlockOut(Chunks.payloadOf(entry, size), target, offset, size);
        }
        return size;
    }

    /** Copies a chunk out of a block of its own. Tests let something happen meanwhile. */
    public void copyBlockOut(long payload, MemorySegment target, long offset, int sizeBytes) {
        vmb.copyOut(payload, target, offset, sizeBytes);
    }
}
