package dev.granary.bench.compare.stores;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client of a store with numbered objects. All threads share it; each has a session of its own. */
interface ComparedClient extends AutoCloseable {

    /** Opens what one thread uses. */
    Session open();

    @Override
    void close();

    /**
     * What one thread does. Each method waits for the answer, and throws a {@link RuntimeException} of the client when
     * there is none. Not thread-safe.
     */
    interface Session extends AutoCloseable {

        /** Reads an object, null when there is none. */
        byte @Nullable [] read(long key);

        /** Replaces an object. */
        void update(long key, byte[] value);

        /** Writes an object that is not there. */
        void insert(long key, byte[] value);

        /** Deletes an object that is there. */
        void delete(long key);

        /** Reads distinct objects in one request of the client, and hands over those that are there. */
        void readAll(long[] keys, Consumer<byte[]> found);

        /** Writes objects that are not there in one request of the client. */
        void insertAll(long[] keys, List<byte[]> values);

        @Override
        default void close() {}
    }
}
