package dev.granary.memory.arena;

import dev.granary.memory.os.Vmb;

/**
 * The lists of free blocks of one arena, doubly linked inside the blocks (DXMem section V-A). List i has the blocks of
 * at least its own size and below the next list's: 14, 24, 36, 48, 64, 128, 256 ... 2^42 bytes. One more list, the
 * parking list, has blocks of any size in segments that are being evacuated, so that searches need not pass them again.
 * The anchors, a word each, are in the VMB's header. Under the arena's lock.
 *
 * <p>A block is parked when it is freed, or when a search meets it: who starts an evacuation need not walk the lists.
 */
public final class FreeLists {

    /** How many lists there are for sizes. */
    public static final int COUNT = 41;

    /** The parking list. */
    public static final int PARKED = COUNT;

    /** Bytes of the anchors in the VMB, rounded up so that two arenas never share a cache line. */
    public static final int ANCHOR_BYTES = ((COUNT + 1) * 8 + 63) / 64 * 64;

    private static final int POINTER_BYTES = 6;
    private static final int FIRST_POWER_LIST = 4;
    private static final int FIRST_POWER = 6;

    /** How many blocks of a list whose blocks may be too small are looked at before a larger list is taken. */
    private static final int SEARCH_LIMIT = 4;

    /** The same for large blocks, which are rare, are filled for much longer, and leave large rests. */
    private static final int SEARCH_LIMIT_LARGE = 32;

    private static final int LARGE_BYTES = 4096;

    /** How many blocks one look at a list parks at most, unless the search is exhaustive. */
    private static final int PARK_LIMIT = 64;

    private final Vmb vmb;
    private final Extents extents;
    private final long anchors;

    /** How many segments of the arena are being evacuated: as a rule none, which is faster. */
    private int evacuating;

    /** Bit i is set while list i has a block: the anchors say the same, this is faster. */
    private long filled;

    FreeLists(Vmb vmb, Extents extents, long anchors) {
        this.vmb = vmb;
        this.extents = extents;
        this.anchors = anchors;
    }

    /** The list for a free block of this size, at least 14 bytes. */
    public static int listOf(long sizeBytes) {
        if (sizeBytes >= 64) {
            return FIRST_POWER_LIST - FIRST_POWER + 63 - Long.numberOfLeadingZeros(sizeBytes);
        }
        return sizeBytes >= 48 ? 3 : sizeBytes >= 36 ? 2 : sizeBytes >= 24 ? 1 : 0;
    }

    /** The smallest size in a list. */
    static long minBytes(int list) {
        return switch (list) {
            case 0 -> Marker.MIN_TRACKED_BYTES;
            case 1 -> 24;
            case 2 -> 36;
            case 3 -> 48;
            default -> 1L << (list - FIRST_POWER_LIST + FIRST_POWER);
        };
    }

    /** What the fields of a free block of a kind take: its size at both ends, and two pointers. */
    public static int fieldBytes(int kind) {
        return 2 * Marker.lengthBytes(kind) + 2 * POINTER_BYTES;
    }

    /** The first block of a list, or 0. */
    public long first(int list) {
        return vmb.getAcquire(anchors + 8L * list);
    }

    /** Whether the list is known to have a block. */
    boolean isFilled(int list) {
        return (filled & 1L << list) != 0;
    }

    /** The block after this one in its list, or 0. */
    public long next(long block) {
        return vmb.getBytes(block + lengthBytes(block), POINTER_BYTES);
    }

    /** The block before this one in its list, or 0. */
    public long previous(long block) {
        return vmb.getBytes(block + lengthBytes(block) + POINTER_BYTES, POINTER_BYTES);
    }

    /** The size of a tracked free block. */
    public long sizeBytes(long block) {
        return vmb.getBytes(block, lengthBytes(block));
    }

    /** From now on blocks in these segments are parked. */
    void startEvacuation() {
        evacuating++;
    }

    /** Takes the lists as they are in the VMB, after it was loaded. No segment is being evacuated any more. */
    void restore() {
        for (int list = 0; list <= PARKED; list++) {
            filled |= first(list) != 0 ? 1L << list : 0;
        }
        for (long block = first(PARKED); block != 0; block = first(PARKED)) {
            long size = sizeBytes(block);
            unlink(block, size);
            linkTo(listOf(size), block);
        }
    }

    /** A segment is no longer evacuated: its parked blocks go to the lists for their sizes. */
    void stopEvacuation(int segment) {
        evacuating--;
        long next;
        for (long block = first(PARKED); block != 0; block = next) {
            next = next(block);
            if (extents.segmentOf(block) == segment) {
                long size = sizeBytes(block);
                unlink(block, size);
                linkTo(listOf(size), block);
            }
        }
    }

    /** An evacuated segment has been released. None of its blocks is in a list. */
    void endEvacuation() {
        evacuating--;
    }

    /** Puts a free block into its list. Its marker and length fields have been written. */
    void link(long block, long sizeBytes) {
        linkTo(isEvacuating(block) ? PARKED : listOf(sizeBytes), block);
    }

    private void linkTo(int list, long block) {
        long head = first(list);
        setNext(block, head);
        setPrevious(block, 0);
        if (head != 0) {
            setPrevious(head, block);
        }
        setFirst(list, block);
        filled |= 1L << list;
    }

    /**
     * Puts a free block into the place that another one had in the same list.
     *
     * @param next what was next to the other
     * @param previous what was before the other
     */
    void replace(long block, long sizeBytes, long next, long previous) {
        setNext(block, next);
        setPrevious(block, previous);
        if (next != 0) {
            setPrevious(next, block);
        }
        if (previous != 0) {
            setNext(previous, block);
        } else {
            setFirst(listOf(sizeBytes), block);
        }
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
        int own = listOf(sizeBytes);
        int list = first(own) == block ? own : PARKED;
        setFirst(list, next);
        if (next == 0) {
            filled &= ~(1L << list);
        }
    }

    /**
     * Finds a free block, the best fit of the blocks that are looked at.
     *
     * @param alignmentMask the alignment of what is to lie in it, minus 1
     * @param exhaustive whether to look at every block that may be large enough
     * @param tidy whether to pass over blocks of which a small free block would be left ({@link #isTidy})
     * @return the block, still in its list, or 0
     */
    long find(long sizeBytes, long alignmentMask, boolean exhaustive, boolean tidy) {
        int list = listOf(Math.max(sizeBytes, Marker.MIN_TRACKED_BYTES));
        do {
            if (isFilled(list)) {
                long best = bestOf(list, sizeBytes, alignmentMask, exhaustive, tidy);
                if (best != 0) {
                    return best;
                }
            }
            list++;
        } while (minBytes(list) < sizeBytes + alignmentMask + (tidy ? Segments.SMALL_BYTES + 1 : 0));
        long larger = filled & ((1L << COUNT) - (1L << list));
        while (larger != 0) {
            long block = firstUsable(Long.numberOfTrailingZeros(larger), exhaustive);
            if (block != 0) {
                return block;
            }
            larger &= larger - 1;
        }
        return 0;
    }

    /**
     * Whether no free block of less than {@link Segments#SMALL_BYTES} would be left: nothing is, or enough,
     * or so little that it can be padding.
     */
    static boolean isTidy(long restBytes, long paddingBytes, long alignmentMask) {
        return restBytes == 0
                || restBytes > Segments.SMALL_BYTES
                || ((restBytes & alignmentMask) == 0 && paddingBytes + restBytes < Marker.MAX_ALIGNMENT_BYTES);
    }

    private long bestOf(int list, long sizeBytes, long alignmentMask, boolean exhaustive, boolean tidy) {
        long best = 0;
        long bestSize = Long.MAX_VALUE;
        int looked = 0;
        int parked = 0;
        int limit = sizeBytes < LARGE_BYTES ? SEARCH_LIMIT : SEARCH_LIMIT_LARGE;
        for (long block = first(list); block != 0; ) {
            long next = next(block);
            long size = sizeBytes(block);
            if (isEvacuating(block)) {
                park(block, size);
                if (++parked >= PARK_LIMIT && !exhaustive) {
                    break;
                }
            } else {
                long needed = sizeBytes + (-block & alignmentMask);
                if (size >= needed
                        && size < bestSize
                        && (!tidy || isTidy(size - needed, needed - sizeBytes, alignmentMask))) {
                    best = block;
                    bestSize = size;
                }
                looked++;
                if (bestSize == needed || (looked >= limit && (best != 0 || !exhaustive))) {
                    break;
                }
            }
            block = next;
        }
        return best;
    }

    /** The first block of a list that may be allocated, or 0. */
    private long firstUsable(int list, boolean exhaustive) {
        int parked = 0;
        for (long block = first(list); block != 0; block = first(list)) {
            if (!isEvacuating(block)) {
                return block;
            }
            park(block, sizeBytes(block));
            if (++parked >= PARK_LIMIT && !exhaustive) {
                break;
            }
        }
        return 0;
    }

    private boolean isEvacuating(long block) {
        return evacuating > 0 && extents.segments().isEvacuating(extents.segmentOf(block));
    }

    private void park(long block, long sizeBytes) {
        unlink(block, sizeBytes);
        linkTo(PARKED, block);
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
