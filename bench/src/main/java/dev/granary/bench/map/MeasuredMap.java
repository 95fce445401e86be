package dev.granary.bench.map;

/** A map of numbered entries. Keys and values are made from the numbers. */
interface MeasuredMap extends AutoCloseable {

    /** The operations of one thread. */
    interface Session {
        /** Inserts or replaces an entry. */
        void put(int number);

        /** Gets an entry and checks that the value is its own. */
        void get(int number);

        /** Gets many entries at a time and checks them. */
        void getBatch(int[] numbers, int from, int count);
    }

    Session session();

    /** Whether {@link Session#getBatch} is supported. */
    boolean hasBatches();

    /** The bytes of all entries with their overhead. */
    long bytes();

    @Override
    void close();
}
