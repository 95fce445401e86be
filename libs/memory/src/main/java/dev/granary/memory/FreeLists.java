package dev.granary.memory;

/**
 * The lists of free blocks of one arena, doubly linked inside the blocks (DXMem section V-A). List i has the blocks of
 * at least its own size and below the next list's: 14, 24, 36, 48, 64, 128, 256 ... 2^42 bytes. The anchors, a word
 * each, are in the VMB's header. Under the arena's lock.
 */
final class FreeLists {

    /** How many lists there are. */
    static final int COUNT = 41;

    /** Bytes of the anchors in the VMB, rounded up so that two arenas never share a cache line. */
    static final int ANCHOR_BYTES = (COUNT * 8 + 63) / 64 * 64;

    private static final int POINTER_BYTES = 6;
    private static final int FIRST_POWER_LIST = 4;
    private static final int FIRST_POWER = 6;

    /** How many blocks of a list whose blocks may be too small are looked at before a larger list is taken. */
    private static final int SEARCH_LIMIT = 4;

    private final Vmb vmb;
    private final long anchors;

    /** Bit i is set while list i has a block: the anchors say the same, this is faster. */
    private long filled;

    FreeLists(Vmb vmb, long anchors) {
        this.vmb = vmb;
        this.anchors = anchors;
    }

    /** The list for a free block of this size, at least 14 bytes. */
    static int listOf(long sizeBytes) {
        if (sizeBytes >= 64) {
            return FIRST_POWER_LIST - FIRST_POWER + 63 - Long.numberOfLeadingZeros(sizeBytes);
        }
        return sizeBytes >= 48 ? 3 : sizeBytes >= 36 ? 2 : sizeBytes >= 24 ? 1 : 0;
    }

    /** The first block of a list, or 0. */
    long first(int list) {
        return vmb.getAcquire(anchors + 8L * list);
    }

    /** Whether the list is known to have a block. */
    boolean isFilled(int list) {
        return (filled & 1L << list) != 0;
    }

    /** The block after this one in its list, or 0. */
    long next(long block) {
        return vmb.getBytes(block + lengthBytes(block), POINTER_BYTES);
    }

    /** The block before this one in its list, or 0. */
    long previous(long block) {
        return vmb.getBytes(block + lengthBytes(block) + POINTER_BYTES, POINTER_BYTES);
    }

    /** The size of a tracked free block. */
    long sizeBytes(long block) {
        return vmb.getBytes(block, lengthBytes(block));
    }

    /** Puts a free block into its list. Its marker and length fields have been written. */
    void link(long block, long sizeBytes) {
        int list = listOf(sizeBytes);
        long head = first(list);
        setNext(block, head);
        setPrevious(block, 0);
        if (head != 0) {
            setPrevious(head, block);
        }
        setFirst(list, block);
        filled |= 1L << list;
    }

    /** Takes a free block out of its list. */
    void unlink(long block, long sizeBytes) {
        long next = next(block);
        long previous = previous(block);
        if (next != 0) {
            setPrevious(next, previous);
        }
        if (previous != 0) {
            setNext(previous, next);
            return;
        }
        int list = listOf(sizeBytes);
        setFirst(list, next);
        if (next == 0) {
            filled &= ~(1L << list);
        }
    }

    /**
     * Finds a free block, the best fit of the blocks that are looked at.
     *
     * @param exhaustive whether to look at every block that may be large enough
     * @return the block, still in its list, or 0
     */
    long find(long sizeBytes, boolean exhaustive) {
        int own = listOf(Math.max(sizeBytes, Marker.MIN_TRACKED_BYTES));
        if ((filled & 1L << own) != 0) {
            long best = bestOf(own, sizeBytes, exhaustive);
            if (best != 0) {
                return best;
            }
        }
        long larger = filled & -1L << own & ~(1L << own);
        return larger == 0 ? 0 : first(Long.numberOfTrailingZeros(larger));
    }

    private long bestOf(int list, long sizeBytes, boolean exhaustive) {
        long best = 0;
        long bestSize = Long.MAX_VALUE;
        int looked = 0;
        for (long block = first(list); block != 0; block = next(block)) {
            long size = sizeBytes(block);
            if (size >= sizeBytes && size < bestSize) {
                best = block;
                bestSize = size;
            }
            looked++;
            if (bestSize == sizeBytes || (looked >= SEARCH_LIMIT && (best != 0 || !exhaustive))) {
                break;
            }
        }
        return best;
    }

    private int lengthBytes(long block) {
        return Marker.lengthBytes(Marker.right(vmb.getByte(block - 1)));
    }

    private void setFirst(int list, long block) {
        vmb.setRelease(anchors + 8L * list, block);
    }

    private void setNext(long block, long next) {
        vmb.setBytes(block + lengthBytes(block), POINTER_BYTES, next);
    }

    private void setPrevious(long block, long previous) {
        vmb.setBytes(block + lengthBytes(block) + POINTER_BYTES, POINTER_BYTES, previous);
    }
}
