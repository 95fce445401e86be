package dev.granary.memory;

/**
 * Hands the VMB out to the arenas from its start on, in extents of equal size that are never given back, and knows
 * whose each one is. The first extent begins behind the header. Thread-safe.
 */
final class Extents {

    private static final long MIN_EXTENT_BYTES = 64L << 10;
    private static final long MAX_EXTENT_BYTES = 4L << 20;
    private static final long EXTENTS_WANTED = 256;

    private final long headerBytes;
    private final int shift;
    private final byte[] owners;
    private int taken;

    Extents(long capacityBytes, long headerBytes) {
        long wanted = Long.highestOneBit(capacityBytes / EXTENTS_WANTED);
        long extentBytes = Math.clamp(wanted, MIN_EXTENT_BYTES, MAX_EXTENT_BYTES);
        this.headerBytes = headerBytes;
        this.shift = Long.numberOfTrailingZeros(extentBytes);
        this.owners = new byte[(int) (capacityBytes >>> shift)];
    }

    /** How many arenas a VMB of this size should have at most, so that none holds too much that others need. */
    static int sensibleArenas(long capacityBytes) {
        return (int) Math.min(64, capacityBytes / MIN_EXTENT_BYTES / 8);
    }

    /**
     * Takes consecutive extents with room for a region.
     *
     * @return the first one's index, or -1 if there are not enough
     */
    synchronized int take(long regionBytes, int arena) {
        long fromStart = regionBytes + (taken == 0 ? headerBytes : 0);
        long count = ((fromStart - 1) >>> shift) + 1;
        if (count > owners.length - taken) {
            return -1;
        }
        int first = taken;
        for (int i = 0; i < count; i++) {
            owners[taken++] = (byte) arena;
        }
        return first;
    }

    /** Where an extent's usable bytes begin. */
    long start(int extent) {
        return extent == 0 ? headerBytes : (long) extent << shift;
    }

    /** The end of the extent in which an address lies. */
    long endOf(long address) {
        return ((address >>> shift) + 1) << shift;
    }

    /** The index of the first extent that nobody has taken. */
    synchronized int taken() {
        return taken;
    }

    /** The arena that an address belongs to. The address must come from an entry or another safe publication. */
    int owner(long address) {
        return owners[(int) (address >>> shift)];
    }

    /** What of the VMB has been handed out. */
    long committedBytes() {
        return (long) taken() << shift;
    }

    /** What at the VMB's end is too small for an extent. */
    long unusableBytes(long capacityBytes) {
        return capacityBytes - ((long) owners.length << shift);
    }

    /** What this takes on the heap. */
    long heapBytes() {
        return owners.length;
    }
}
