package dev.granary.memory;

/** Where in its block a chunk's size and payload are. Whoever asks holds the chunk's lock, or made the block. */
final class Chunks {

    private Chunks() {}

    /** The size of the chunk of an entry. */
    static int size(Vmb vmb, long entry) {
        if (EntryLayout.hasEmbeddedSize(entry)) {
            return EntryLayout.embeddedSize(entry);
        }
        long block = EntryLayout.address(entry);
        int lengthBytes = Marker.right(vmb.getByte(block - 1)) - Marker.ALLOCATED;
        return EntryLayout.splitSize(entry, vmb.getBytes(block, lengthBytes));
    }

    /** Where the payload begins. */
    static long payload(long block, int sizeBytes) {
        return sizeBytes <= EntryLayout.MAX_EMBEDDED_SIZE ? block : block + EntryLayout.lengthBytes(sizeBytes);
    }

    /** Writes the length bytes of a new block, if it has any. */
    static void writeLength(Vmb vmb, long block, int sizeBytes) {
        if (sizeBytes > EntryLayout.MAX_EMBEDDED_SIZE) {
            vmb.setBytes(block, EntryLayout.lengthBytes(sizeBytes), EntryLayout.high(sizeBytes));
        }
    }
}
