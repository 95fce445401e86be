package dev.granary.bench.map;

/** A map of entries that have numbers, from which keys and values follow. */
interface MeasuredMap extends AutoCloseable {

    /** What one thread uses. */
    interface Session {
        /** Inserts or replaces an entry. */
        void put(int number);

        /** Gets an entry and checks that the value is its own. */
        void get(int number);

        /** Gets many entries at a time and checks them. */
        void getBatch(int[] numbers, int from, int count);
    }

    Session session();

    /** Whether {@link Session#getBatch} is there. */
    boolean hasBatches();

    /** What all entries take with everything that belongs to them. */
    long bytes();

    @Override
    void close();
}
