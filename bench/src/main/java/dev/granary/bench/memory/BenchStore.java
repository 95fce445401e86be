package dev.granary.bench.memory;

/**
 * Something that keeps objects and finds them by a key of 64 bits. Thread-safe.
 *
 * <p>Objects are numbered from 0; the store knows by which key it finds each: a CID, a place, or the number itself.
 */
public interface BenchStore extends AutoCloseable {

    /**
     * Puts in a new object. Two threads may do so at a time for numbers that are 512 or more apart.
     *
     * @param index its number
     * @param payload its bytes, at the start
     */
    void insert(long index, Scratch payload, int sizeBytes);

    /** The key of an object. Not part of what is measured: keys are looked up before the clock runs. */
    long keyOf(long index);

    /**
     * Copies an object to the start of a buffer.
     *
     * @return its size, or -1 when there is none
     */
    int get(long key, Scratch target);

    /**
     * Overwrites an object with as many bytes.
     *
     * @return false when there is none
     */
    boolean put(long key, Scratch payload, int sizeBytes);

    /** What it says to use now besides the payload, in bytes; below 0 when it cannot say. */
    long overheadBytes();

    /** Native memory that only measuring needs, in bytes: keys that are noted. */
    long measuringBytes();

    @Override
    void close();

    /** Makes a store for a number of objects. */
    interface Factory {

        /** Name in tables and JSON lines. */
        String store();

        /** Layout in tables and JSON lines; empty when there is but one. */
        String layout();

        /** Makes an empty store. */
        BenchStore open(long chunks, SizePattern sizes);
    }
}
