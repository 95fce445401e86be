package dev.granary.memory;

import static dev.granary.memory.EntryLayout.address;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Copies chunks out, never torn. A chunk without length bytes is read without a lock and validated; when that fails, or
 * the chunk is larger, it is read under its lock.
 */
final class Reader {

    /** Instead of a size: the chunk is larger than the room for it, and nothing was copied. */
    static final int DOES_NOT_FIT = -2;

    private final Vmb vmb;
    private final Versions versions;

    Reader(Parts parts) {
        this.vmb = parts.vmb();
        this.versions = parts.versions();
    }

    /**
     * Copies a chunk to a segment.
     *
     * @param entry address of its entry, or 0
     * @return its size, {@link ChunkMemory#ABSENT}, or {@link #DOES_NOT_FIT}
     */
    int read(long lid, long entry, MemorySegment target, long offset, long capacityBytes) {
        if (entry == 0) {
            return ChunkMemory.ABSENT;
        }
        long version = versions.read(lid);
        long word = vmb.getAcquire(entry);
        if (EntryLayout.isQuiet(word) && EntryLayout.hasEmbeddedSize(word)) {
            int size = EntryLayout.embeddedSize(word);
            if (size > capacityBytes) {
                return DOES_NOT_FIT;
            }
            vmb.copyOut(address(word), target, offset, size);
            // The payload is read before the words that say whether it was written meanwhile.
            VarHandle.acquireFence();
            if (EntryLayout.isSameQuiet(vmb.getAcquire(entry), word) && versions.read(lid) == version) {
                return size;
            }
        }
        return readLocked(entry, target, offset, capacityBytes);
    }

    private int readLocked(long entry, MemorySegment target, long offset, long capacityBytes) {
        long word = ChunkLock.lockForReading(vmb, entry);
        if (word == ChunkLock.ABSENT) {
            return ChunkMemory.ABSENT;
        }
        try {
            int size = Chunks.size(vmb, word);
            if (size > capacityBytes) {
                return DOES_NOT_FIT;
            }
            vmb.copyOut(Chunks.payload(address(word), size), target, offset, size);
            return size;
        } finally {
            ChunkLock.unlockReading(vmb, entry);
        }
    }
}
