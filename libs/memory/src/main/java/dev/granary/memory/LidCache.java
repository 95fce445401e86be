package dev.granary.memory;

/** A bounded stack of free LIDs. Not thread-safe. */
final class LidCache {

    /** 4 KiB of heap. */
    static final int CAPACITY = 512;

    private final long[] lids = new long[CAPACITY];
    private int size;

    boolean hasRoom() {
        return size < CAPACITY;
    }

    int size() {
        return size;
    }

    long get(int index) {
        return lids[index];
    }

    void push(long lid) {
        lids[size++] = lid;
    }

    long pop() {
        return lids[--size];
    }
}
