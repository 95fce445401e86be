package dev.granary.memory.arena;

import dev.granary.memory.os.Vmb;

/**
 * Size and payload of chunks in blocks of their own. The caller holds the page's latch, has made the block, or
 * validates afterwards.
 */
public final class Chunks {

    private Chunks() {}

    /** The size of the chunk of an entry; any number if the entry is not true any more. */
    public static int size(Vmb vmb, long entry) {
        if (EntryLayout.hasEmbeddedSize(entry)) {
            return EntryLayout.embeddedSize(entry);
        }
        long block = EntryLayout.address(entry);
        int lengthBytes = Marker.right(vmb.getByte(block - 1)) - Marker.ALLOCATED;
        return lengthBytes < 1 || lengthBytes > 3
                ? EntryLayout.MAX_EMBEDDED_SIZE
                : EntryLayout.splitSize(entry, vmb.getBytes(block, lengthBytes));
    }

    /** Where the payload begins. */
    public static long payload(long block, int sizeBytes) {
        return sizeBytes <= EntryLayout.MAX_EMBEDDED_SIZE ? block : block + EntryLayout.lengthBytes(sizeBytes);
    }

    /** Where the payload of an entry begins. */
    public static long payloadOf(long entry, int sizeBytes) {
        return payload(EntryLayout.address(entry), sizeBytes);
    }

    /** Writes the length bytes of a new block, if it has any. */
    public static void writeLength(Vmb vmb, long block, int sizeBytes) {
        if (sizeBytes > EntryLayout.MAX_EMBEDDED_SIZE) {
            vmb.setBytes(block, EntryLayout.lengthBytes(sizeBytes), EntryLayout.high(sizeBytes));
        }
    }

    /** What the block of a chunk takes, markers excluded; 0 if it has none. */
    public static long blockBytes(int sizeBytes) {
        return (long) sizeBytes + EntryLayout.lengthBytes(sizeBytes);
    }
}
