package dev.granary.storage.keyed;

/**
 * What there was not for a key.
 *
 * @param bytes how many bytes, of what is counted in bytes
 * @param hash of the key, of what belongs to the slot group
 * @param isPassing whether waiting is enough
 */
record KeyedLack(Kind kind, long bytes, long hash, boolean isPassing) {

    /** What it was. */
    enum Kind {
        /** Memory that keys may have. */
        BYTES,
        /** A block of chunk memory. */
        CHUNK_MEMORY,
        /** Room in the index of the slot group. */
        INDEX,
        /** A LID of the slot group. */
        LIDS
    }

    static KeyedLack ofBytes(long bytes) {
        return new KeyedLack(Kind.BYTES, bytes, 0, false);
    }

    static KeyedLack ofChunkMemory(long bytes, boolean isPassing) {
        return new KeyedLack(Kind.CHUNK_MEMORY, bytes, 0, isPassing);
    }

    static KeyedLack ofIndex(long hash) {
        return new KeyedLack(Kind.INDEX, 0, hash, false);
    }

    static KeyedLack ofLids(long hash) {
        return new KeyedLack(Kind.LIDS, 0, hash, false);
    }
}
