package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.StoreWorkload;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** The numbered objects of one shape in one store: their keys and how many there are. Thread-safe once it is loaded. */
final class ObjectSet {

    /** Objects in a request while they are loaded, and bytes that a request does not exceed by much. */
    private static final int LOAD_BATCH = 1_000;

    private static final int LOAD_BYTES = 256 << 10;

    /** Keys of different shapes differ in their upper half. */
    private static final int SHAPE_BITS = 32;

    private final long firstKey;
    private final int valueBytes;
    private final AtomicLong count = new AtomicLong();

    /** @param ordinal differs from that of all other shapes */
    ObjectSet(int ordinal, int valueBytes) {
        this.firstKey = (long) ordinal << SHAPE_BITS;
        this.valueBytes = valueBytes;
    }

    /** A set of objects of a workload. */
    static ObjectSet of(StoreWorkload workload, int ordinal) {
        return new ObjectSet(ordinal, workload.valueBytes());
    }

    /** Writes the objects with the numbers from 0 on. */
    void load(ComparedClient.Session session, int objects) {
        SplittableRandom random = new SplittableRandom(1);
        int batch = Math.max(1, Math.min(LOAD_BATCH, LOAD_BYTES / valueBytes));
        for (int from = 0; from < objects; from += batch) {
            long[] keys = new long[Math.min(batch, objects - from)];
            List<byte[]> values = new ArrayList<>(keys.length);
            for (int i = 0; i < keys.length; i++) {
                keys[i] = key(from + i);
                byte[] value = new byte[valueBytes];
                random.nextBytes(value);
                values.add(value);
            }
            session.insertAll(keys, values);
        }
        count.set(objects);
    }

    /** The key of a number. */
    long key(long number) {
        return firstKey + number;
    }

    /** Notes that the object of a number is there. */
    void added(long number) {
        count.accumulateAndGet(number + 1, Math::max);
    }

    /** How many objects there are; their numbers are below. */
    long count() {
        return count.get();
    }

    int valueBytes() {
        return valueBytes;
    }
}
