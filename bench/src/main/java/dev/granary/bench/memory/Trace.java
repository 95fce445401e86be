package dev.granary.bench.memory;

import java.util.SplittableRandom;

/**
 * Operations of one thread, drawn before the clock runs: objects, their keys in each store, and whether each operation
 * is a get or a put. Rounds reuse the memory.
 */
final class Trace {

    /** Bytes of an operation in a trace, for two stores. */
    static final int BYTES_PER_OPERATION = 28;

    private static final int PUT = 1 << 31;

    private final long[] objects;
    private final long[][] keys;
    private final int[] sizesAndKinds;

    Trace(int operations, int stores) {
        objects = new long[operations];
        keys = new long[stores][operations];
        sizesAndKinds = new int[operations];
    }

    int length() {
        return objects.length;
    }

    /** Draws a new trace into this object. */
    void draw(KeyDistribution.Source source, double getShare, SizePattern sizes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < objects.length; i++) {
            long object = source.next();
            objects[i] = object;
            sizesAndKinds[i] = sizes.sizeOf(object) | (random.nextDouble() < getShare ? 0 : PUT);
        }
    }

    /** Looks up the keys in a store. */
    void look(int place, BenchStore store) {
        long[] own = keys[place];
        for (int i = 0; i < own.length; i++) {
            own[i] = store.keyOf(objects[i]);
        }
    }

    /** The keys in a store. */
    long[] keys(int place) {
        return keys[place];
    }

    long object(int operation) {
        return objects[operation];
    }

    int sizeBytes(int operation) {
        return sizesAndKinds[operation] & ~PUT;
    }

    boolean isPut(int operation) {
        return sizesAndKinds[operation] < 0;
    }

    /** Runs all operations. Throws when an object is missing or has another size than expected. */
    void run(int place, BenchStore store, Scratch scratch) {
        long[] own = keys[place];
        for (int i = 0; i < own.length; i++) {
            int sizeAndKind = sizesAndKinds[i];
            if (sizeAndKind < 0) {
                int sizeBytes = sizeAndKind & ~PUT;
                scratch.fill(objects[i], 1, sizeBytes);
                if (!store.put(own[i], scratch, sizeBytes)) {
                    throw missing(i, -1);
                }
            } else if (store.get(own[i], scratch) != sizeAndKind) {
                throw missing(i, store.get(own[i], scratch));
            }
        }
    }

    IllegalStateException missing(int operation, int sizeBytes) {
        return new IllegalStateException(
                "object " + objects[operation] + " has " + sizeBytes + " B instead of " + sizeBytes(operation));
    }
}
