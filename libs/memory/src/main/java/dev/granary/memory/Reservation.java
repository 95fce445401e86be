package dev.granary.memory;

/** LIDs, addresses of entries, and blocks of chunks that are being created: nobody else knows them yet. */
final class Reservation {

    /** So many at once at most: as many LIDs as a cache can take back. */
    static final int MAX = LidCache.CAPACITY;

    final long[] lids;
    final long[] entries;
    final long[] blocks;

    /** How many are reserved at present. */
    int count;

    Reservation(int count) {
        lids = new long[count];
        entries = new long[count];
        blocks = new long[count];
    }
}
