package dev.granary.bench.memory;

/**
 * A store that keeps objects and finds them by a key of 64 bits. Thread-safe.
 *
 * <p>Objects are numbered from 0. The store knows the key of each: a CID, a place, or the number itself.
 */
public interface BenchStore extends AutoCloseable {

    /**
     * Inserts a new object. Two threads may insert at a time if their numbers are 512 or more apart.
     *
     * @param index its number
     * @param payload its bytes, at the start
     */
    void insert(long index, Scratch payload, int sizeBytes);

    /** The key of an object. It is not part of the measurement: keys are looked up before the clock runs. */
    long keyOf(long index);

    /**
     * Copies an object to the start of a buffer.
     *
     * @return its size, or -1 when the object does not exist
     */
    int get(long key, Scratch target);

    /**
     * Overwrites an object with a payload of the same size.
     *
     * @return false when the object does not exist
     */
    boolean put(long key, Scratch payload, int sizeBytes);

    /** The bytes beside the payload that the store reports; below 0 when it does not report them. */
    long overheadBytes();

    /** Bytes of native memory that only the measurement needs, for noted keys. */
    long measuringBytes();

    @Override
    void close();

    /** Makes a store for a number of objects. */
    interface Factory {

        /** Name in tables and JSON lines. */
        String store();

        /** Layout in tables and JSON lines; empty when there is only one. */
        String layout();

        /** Makes an empty store. */
        BenchStore open(long chunks, SizePattern sizes);
    }
}
