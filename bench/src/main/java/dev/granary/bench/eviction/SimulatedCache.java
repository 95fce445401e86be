package dev.granary.bench.eviction;

import java.util.Arrays;

/** A cache of so many bytes that keeps numbers of objects and their sizes only. What is not there is put. */
abstract class SimulatedCache {

    /** What Granary has for an entry beside key and value. */
    static final int ENTRY_BYTES = 10;

    /** An object that would take a larger part of the cache is not put. */
    private static final int LARGEST_DIVISOR = 4;

    private final long capacityBytes;
    private final int overheadBytes;
    private int[] sizes = {};
    private long usedBytes;
    private int entries;

    /** @param extraBytes what the policy needs for an entry */
    SimulatedCache(long capacityBytes, int extraBytes) {
        this.capacityBytes = capacityBytes;
        this.overheadBytes = ENTRY_BYTES + extraBytes;
    }

    /** Returns whether an object with so many bytes is kept at all: one that is too large would cost many others. */
    static boolean isKept(long sizeBytes, long capacityBytes) {
        return sizeBytes <= capacityBytes / LARGEST_DIVISOR;
    }

    /** Gets an object, or puts it. Returns whether it was there. */
    final boolean request(int object, int sizeBytes) {
        if (sizes.length <= object) {
            sizes = Arrays.copyOf(sizes, Math.max(object + 1, 2 * sizes.length));
            grow(sizes.length);
        }
        if (sizes[object] != 0) {
            hit(object);
            return true;
        }
        int wanted = sizeBytes + overheadBytes;
        if (isKept(wanted, capacityBytes)) {
            while (usedBytes + rememberedBytes() + wanted > capacityBytes) {
                int victim = victim();
                usedBytes -= sizes[victim];
                sizes[victim] = 0;
                entries--;
            }
            sizes[object] = wanted;
            usedBytes += wanted;
            entries++;
            put(object);
        }
        return false;
    }

    final int entries() {
        return entries;
    }

    /** Returns the bytes of an object that is there. */
    final int sizeOf(int object) {
        return sizes[object];
    }

    final long capacityBytes() {
        return capacityBytes;
    }

    /** Returns what the memory of objects takes that are not there any more. */
    long rememberedBytes() {
        return 0;
    }

    /** Makes room for the objects below a number. */
    abstract void grow(int objects);

    /** An object was asked for that is there. */
    abstract void hit(int object);

    /** An object is there now. */
    abstract void put(int object);

    /** Returns the object that goes, and forgets it. There is one. */
    abstract int victim();
}
