package dev.granary.bench;

import java.lang.foreign.MemorySegment;

/** Objects of one size, numbered from 0. Thread-safe as far as its users are. */
interface Store extends AutoCloseable {

    /** Copies an object to the start of a buffer. */
    void get(int index, MemorySegment buffer);

    /** Overwrites an object with the start of a buffer. */
    void put(int index, MemorySegment buffer);

    @Override
    void close();
}
