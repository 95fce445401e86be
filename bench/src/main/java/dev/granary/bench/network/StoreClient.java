package dev.granary.bench.network;

/** A client of a store with numbered objects of one size. */
public interface StoreClient extends AutoCloseable {

    /** Writes objects with the numbers from 0 on. Called once, before anything else. */
    void load(int objects, byte[] value);

    /** Opens what one thread uses. Each thread of a measurement has its own. */
    Session open();

    @Override
    void close();

    /** What one thread does. Each method waits for the answer. Not thread-safe. */
    interface Session extends AutoCloseable {

        /** Returns the size of an object in bytes, -1 when there is none. */
        int get(int number);

        /** Replaces an object. */
        void put(int number, byte[] value);

        /** Reads objects in one request of the client, and returns how many there are. */
        int getAll(int[] numbers);

        /** Replaces objects in one request of the client. */
        void putAll(int[] numbers, byte[] value);

        @Override
        default void close() {}
    }
}
