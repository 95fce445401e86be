package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.StoreWorkload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    private final Content content;
    private final AtomicLong count = new AtomicLong();

    /** Numbers of objects that are there while one below is not. */
    private final Set<Long> ahead = new HashSet<>();

    /** What objects have in them when they are written first. Called by any thread. */
    @FunctionalInterface
    interface Content {

        /** The size of the object of a number in bytes. */
        int sizeOf(long number);

        /** The object of a number: random bytes, unless it says otherwise. */
        default byte[] first(long number, SplittableRandom random) {
            byte[] value = new byte[sizeOf(number)];
            random.nextBytes(value);
            return value;
        }
    }

    /**
     * Describes objects without writing them.
     *
     * @param ordinal differs from that of all other shapes
     */
    ObjectSet(int ordinal, Content content) {
        this.firstKey = (long) ordinal << SHAPE_BITS;
        this.content = content;
    }

    /** The objects of a workload other than BG. */
    static ObjectSet of(StoreWorkload workload, int ordinal) {
        return new ObjectSet(
                ordinal,
                switch (workload.family()) {
                    case LINKBENCH -> LinkRequests::sizeOf;
                    case PRODUCTION -> ProductionSizes.of(workload)::sizeOf;
                    default -> _ -> workload.valueBytes();
                });
    }

    /** Writes the objects with the numbers from 0 on. */
    void load(ComparedClient.Session session, int objects) {
        SplittableRandom random = new SplittableRandom(1);
        List<Long> keys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        long bytes = 0;
        for (int number = 0; number < objects; number++) {
            byte[] value = content.first(number, random);
            keys.add(key(number));
            values.add(value);
            bytes += value.length;
            if (keys.size() == LOAD_BATCH || bytes >= LOAD_BYTES || number == objects - 1) {
                session.insertAll(keys.stream().mapToLong(Long::longValue).toArray(), List.copyOf(values));
                keys.clear();
                values.clear();
                bytes = 0;
            }
        }
        count.set(objects);
    }

    /** The key of a number. */
    long key(long number) {
        return firstKey + number;
    }

    /** Notes that the object of a number is there. */
    void added(long number) {
        synchronized (ahead) {
            ahead.add(number);
            while (ahead.remove(count.get())) {
                count.incrementAndGet();
            }
        }
    }

    /** How many objects there are without a gap; their numbers are below. */
    long count() {
        return count.get();
    }

    /** The size of the object of a number when it was written first, in bytes. */
    int sizeOf(long number) {
        return content.sizeOf(number);
    }
}
