package dev.granary.memory.arena;

/**
 * How many free blocks an arena has, and of how many bytes, by class: first those that are in no list (no bytes, one,
 * up to 13), then one class for each list of {@link FreeLists}. Under the arena's lock.
 */
public final class FreeCounts {

    /** How many classes there are. */
    public static final int CLASSES = 3 + FreeLists.COUNT;

    private final long[] blocks = new long[CLASSES];
    private final long[] bytes = new long[CLASSES];

    static int classOf(long sizeBytes) {
        if (sizeBytes >= Marker.MIN_TRACKED_BYTES) {
            return 3 + FreeLists.listOf(sizeBytes);
        }
        return (int) Math.min(sizeBytes, 2);
    }

    /** The smallest size in a class. */
    public static long minBytes(int freeClass) {
        return freeClass < 3 ? freeClass : FreeLists.minBytes(freeClass - 3);
    }

    /** Sets the figures of a class, when a memory is loaded. */
    public void restore(int freeClass, long blockCount, long blockBytes) {
        blocks[freeClass] = blockCount;
        bytes[freeClass] = blockBytes;
    }

    public void add(long blockBytes) {
        int index = classOf(blockBytes);
        blocks[index]++;
        bytes[index] += blockBytes;
    }

    void remove(long blockBytes) {
        int index = classOf(blockBytes);
        blocks[index]--;
        bytes[index] -= blockBytes;
    }

    /** A block of this size has become smaller, within its class. */
    void shrink(long blockBytes, long lessBytes) {
        bytes[classOf(blockBytes)] -= lessBytes;
    }

    public long blocks(int freeClass) {
        return blocks[freeClass];
    }

    public long bytes(int freeClass) {
        return bytes[freeClass];
    }

    /** Adds these figures to others. */
    void addTo(FreeCounts sum) {
        for (int i = 0; i < CLASSES; i++) {
            sum.blocks[i] += blocks[i];
            sum.bytes[i] += bytes[i];
        }
    }
}
