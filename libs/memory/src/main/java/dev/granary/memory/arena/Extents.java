package dev.granary.memory.arena;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.ReservationException;
import dev.granary.memory.os.Vmb;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Hands the VMB out to the arenas in extents of equal size, takes free ones back, and knows whose each one is. What an
 * arena takes at once, one extent or a run of them, is a segment. The first extent begins behind the header.
 *
 * <p>The capacity limits how many extents are taken, not where they lie: while it is lowered, segments anywhere may be
 * emptied and given back. A part of it may be set aside: memory that the process has elsewhere, and not here. Memory of
 * free extents goes back to the operating system, except for a few that are used again first.
 *
 * <p>Thread-safe. A segment is taken and released under the lock of its arena's stripe; its owner and its bounds may be
 * asked for there, and by a thread that has an address in it which cannot be freed meanwhile.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>An extent is free, the first of a segment, or a later one of a segment, and {@code spans} says which.
 *   <li>A free extent has no owner and no figures.
 *   <li>Only free extents are backed (have memory and no owner); {@code backedFree} counts them.
 * </ol>
 */
public final class Extents {

    /** In the place of a segment: there is none. */
    public static final int NONE = -1;

    /** There are never more arenas than this. */
    public static final int MOST_ARENAS = 64;

    private static final long MIN_EXTENT_BYTES = 64L << 10;

    /** The largest size of an extent. */
    public static final long MAX_EXTENT_BYTES = 4L << 20;

    private static final long EXTENTS_WANTED = 256;

    /** The tables here must stay small even if the memory could grow a lot. */
    private static final long MOST_EXTENTS = 1 << 16;

    /** One extent in this many is kept for the defragmenter, which needs room to move anything. */
    private static final int RESERVE_SHARE = 128;

    /**
     * One extent in this many is kept for chunks that return. What filled a memory to the last block seldom fits as
     * well in another order (ADR 0355).
     */
    private static final int RETURN_SHARE = 128;

    /** One extent in this many may be free and keep its memory. */
    private static final int WARM_SHARE = 64;

    private final Vmb vmb;
    private final long headerBytes;
    private final int shift;
    private final byte[] owners;

    /** The number of extents at the first of a segment, minus the distance to it at the others, 0 at free ones. */
    private final int[] spans;

    private final Segments segments;

    @GuardedBy("this")
    private final BitSet free = new BitSet();

    @GuardedBy("this")
    private final BitSet backed = new BitSet();

    @GuardedBy("this")
    private int backedFree;

    @GuardedBy("this")
    private int taken;

    @GuardedBy("this")
    private int limit;

    /** How many extents of the capacity are for other uses of the process, and are not taken. */
    @GuardedBy("this")
    private int aside;

    private volatile boolean reserveOpen;

    /** How many operations may take what is kept for chunks that return. */
    @GuardedBy("this")
    private int returning;

    /** Held while the capacity changes, around the other lock. */
    private final Object resizing = new Object();

    public Extents(Vmb vmb, long headerBytes) {
        this(vmb, headerBytes, extentBytes(vmb.capacityBytes(), vmb.maxCapacityBytes()));
    }

    /** Extents of a given size, a power of two: that of the memory whose dump is loaded. */
    public Extents(Vmb vmb, long headerBytes, long extentBytes) {
        this.vmb = vmb;
        this.headerBytes = headerBytes;
        this.shift = Long.numberOfTrailingZeros(extentBytes);
        int count = (int) (vmb.maxCapacityBytes() >>> shift);
        this.owners = new byte[count];
        Arrays.fill(owners, (byte) NONE);
        this.spans = new int[count];
        this.segments = new Segments(count);
        this.limit = (int) (vmb.capacityBytes() >>> shift);
        free.set(0, count);
        noteKept();
    }

    private static long extentBytes(long capacityBytes, long maxCapacityBytes) {
        long wanted = Math.max(capacityBytes / EXTENTS_WANTED, maxCapacityBytes / MOST_EXTENTS);
        return Math.clamp(Long.highestOneBit(wanted), MIN_EXTENT_BYTES, MAX_EXTENT_BYTES);
    }

    /** How many arenas a VMB of this size should have at most, so that none holds too much that others need. */
    public static int sensibleArenas(long capacityBytes) {
        return (int) Math.min(MOST_ARENAS, capacityBytes / MIN_EXTENT_BYTES / 8);
    }

    /**
     * Takes a segment with room for a region: consecutive extents, as far to the front as possible, but those that have
     * memory already first.
     *
     * @return the segment, or {@link #NONE} if there are not enough extents
     */
    synchronized int take(long regionBytes, int arena) {
        long behindHeader = extentsFor(regionBytes + headerBytes);
        long elsewhere = extentsFor(regionBytes);
        int room = reserveOpen ? limit - aside - taken : unreserved();
        if (elsewhere > room) {
            return NONE;
        }
        int first = elsewhere == 1 ? findOne(behindHeader == 1) : findRun((int) elsewhere, behindHeader);
        if (first == NONE) {
            return NONE;
        }
        int count = (int) (first == 0 ? behindHeader : elsewhere);
        if (count > room || !vmb.prepare((long) (first + count) << shift)) {
            return NONE;
        }
        occupy(first, count, arena);
        return first;
    }

    @GuardedBy("this")
    private void occupy(int first, int count, int arena) {
        for (int i = 0; i < count; i++) {
            owners[first + i] = (byte) arena;
            spans[first + i] = i == 0 ? count : -i;
            forget(first + i);
        }
        free.clear(first, first + count);
        taken += count;
    }

    /**
     * Takes a certain segment, as it was when it was dumped.
     *
     * @return false if its extents are not free, or not within the capacity
     */
    public synchronized boolean restore(int first, int count, int arena) {
        if (first < 0
                || count < 1
                || count > limit - aside - taken
                || first > spans.length - count
                || free.nextClearBit(first) < first + count
                || !vmb.prepare((long) (first + count) << shift)) {
            return false;
        }
        occupy(first, count, arena);
        return true;
    }

    /** Takes back a segment in which nothing is allocated. */
    void release(int segment) {
        int count = spans[segment];
        boolean keep;
        synchronized (this) {
            keep = (vmb.keepsMemory() && taken + aside <= limit) || backedFree + count <= warmExtents();
        }
        if (!keep) {
            // Before others can take it, and without making them wait.
            giveBack(segment, count);
        }
        segments.clear(segment);
        synchronized (this) {
            for (int i = segment; i < segment + count; i++) {
                spans[i] = 0;
                owners[i] = NONE;
                if (keep) {
                    backed.set(i);
                    backedFree++;
                }
            }
            free.set(segment, segment + count);
            taken -= count;
        }
    }

    /**
     * Changes how much may be taken from now on. It may be less than what is taken already: then nothing more can be
     * taken until enough has been released.
     *
     * @param capacityBytes up to {@link Vmb#maxCapacityBytes}
     * @return how many bytes of segments have still to be released
     * @throws IllegalArgumentException if it is less than an extent, or more than was reserved
     * @throws ReservationException if the operating system refuses more; the capacity stays as it was
     */
    public long setCapacity(long capacityBytes) {
        long extents = capacityBytes >>> shift;
        if (extents < 1 || capacityBytes > vmb.maxCapacityBytes()) {
            throw new IllegalArgumentException("capacityBytes is " + capacityBytes + ", allowed are " + (1L << shift)
                    + " to " + vmb.maxCapacityBytes() + ", which was reserved at the start");
        }
        synchronized (resizing) {
            boolean more = capacityBytes > vmb.capacityBytes();
            if (more) {
                // Touching may take long: others allocate meanwhile.
                vmb.take(capacityBytes);
            }
            synchronized (this) {
                vmb.setCapacity(capacityBytes);
                limit = (int) extents;
                if (more) {
                    noteKept();
                }
                giveBackFree(vmb.keepsMemory() ? Math.max(0, limit - aside - taken) : warmExtents());
                return excessBytes();
            }
        }
    }

    /**
     * Sets how much of the capacity is for other uses of the process, in whole extents. Less is always possible, more
     * only as far as extents are free.
     *
     * @return how many bytes are set aside from now on; less than asked for, and as many as before, if there is no room
     */
    public synchronized long setAside(long bytes) {
        long wanted = bytes == 0 ? 0 : extentsFor(bytes);
        if (wanted <= aside || wanted - aside <= unreserved()) {
            aside = (int) wanted;
            if (vmb.keepsMemory()) {
                giveBackFree(Math.max(0, limit - aside - taken));
            }
        }
        return asideBytes();
    }

    /** How much of the capacity is set aside. */
    public synchronized long asideBytes() {
        return (long) aside << shift;
    }

    /** How many bytes of segments must be released until the capacity is kept. */
    public synchronized long excessBytes() {
        return (long) Math.max(0, taken + aside - limit) << shift;
    }

    /** Gives the memory of all free extents back to the operating system, unless it is to be kept. */
    public synchronized void giveBackFree() {
        if (!vmb.keepsMemory()) {
            giveBackFree(0);
        }
    }

    /** How many extents there are, free or not: segments have numbers below. */
    public int count() {
        return spans.length;
    }

    public int extentBytes() {
        return 1 << shift;
    }

    public Segments segments() {
        return segments;
    }

    /** Whether a segment of an arena begins with this extent. */
    public boolean isSegment(int extent, int arena) {
        return spans[extent] > 0 && owners[extent] == arena;
    }

    /** An arena's first segment from an extent on, or {@link #NONE}. */
    public int next(int extent, int arena) {
        for (int i = extent; i < spans.length; i++) {
            if (isSegment(i, arena)) {
                return i;
            }
        }
        return NONE;
    }

    /** The arena whose segment begins with an extent, or {@link #NONE} if none does. */
    public int arenaOf(int extent) {
        return spans[extent] > 0 ? owners[extent] : NONE;
    }

    /** The segment in which an address lies. */
    public int segmentOf(long address) {
        int extent = (int) (address >>> shift);
        return extent + Math.min(0, spans[extent]);
    }

    /** How many extents a segment has. */
    public int span(int segment) {
        return spans[segment];
    }

    /** Where a segment's usable bytes begin. */
    public long start(int segment) {
        return segment == 0 ? headerBytes : (long) segment << shift;
    }

    /** Where a segment ends. */
    public long end(int segment) {
        return (long) (segment + spans[segment]) << shift;
    }

    /** The arena that an address belongs to. The address must come from an entry or another safe publication. */
    public int owner(long address) {
        return owners[(int) (address >>> shift)];
    }

    /** Whether an address lies in a segment. Any number will do. */
    public boolean isTaken(long address) {
        long extent = address >>> shift;
        return address >= headerBytes && extent < spans.length && spans[(int) extent] != 0;
    }

    /** What the VMB's extents hold in memory, used or kept for use. */
    public synchronized long committedBytes() {
        return (long) (taken + backedFree) << shift;
    }

    /** The bytes of all segments, from the first to the last marker. */
    synchronized long regionBytes() {
        return ((long) taken << shift) - (free.get(0) ? 0 : headerBytes);
    }

    /** How many extents all segments have. */
    public synchronized int takenExtents() {
        return taken;
    }

    /** Lets the reserve be taken, while blocks are moved together, or not. */
    public void openReserve(boolean open) {
        reserveOpen = open;
    }

    /** Lets what is kept for chunks that return be taken, until {@link #endReturn}. */
    public synchronized void beginReturn() {
        returning++;
    }

    /** Ends one {@link #beginReturn}. */
    public synchronized void endReturn() {
        returning--;
    }

    /** How many extents are free, within the capacity, and not kept for defragmentation or chunks that return. */
    public synchronized int usableExtents() {
        return Math.max(0, unreserved());
    }

    /** How many extents there may be within the capacity. */
    public synchronized int limit() {
        return limit;
    }

    /** How many extents are free, within the capacity, and not set aside. */
    public synchronized int freeExtents() {
        return Math.max(0, limit - aside - taken);
    }

    /** What at the end of this capacity is too small for an extent. */
    public long unusableBytes(long capacityBytes) {
        return capacityBytes & (extentBytes() - 1);
    }

    /** What this takes on the heap. */
    public synchronized long heapBytes() {
        return owners.length * (1L + Integer.BYTES) + (free.size() + backed.size()) / 8 + segments.heapBytes();
    }

    private long extentsFor(long bytes) {
        return ((bytes - 1) >>> shift) + 1;
    }

    @GuardedBy("this")
    private int unreserved() {
        int forReturns = returning > 0 ? 0 : limit / RETURN_SHARE;
        return limit - limit / RESERVE_SHARE - forReturns - aside - taken;
    }

    @GuardedBy("this")
    private int warmExtents() {
        return Math.max(1, limit / WARM_SHARE);
    }

    @GuardedBy("this")
    private int findOne(boolean fitsBehindHeader) {
        int from = fitsBehindHeader ? 0 : 1;
        int warm = backed.nextSetBit(from);
        return warm >= 0 ? warm : free.nextSetBit(from);
    }

    @GuardedBy("this")
    private int findRun(int elsewhere, long behindHeader) {
        for (int from = free.nextSetBit(0); from >= 0; ) {
            int end = free.nextClearBit(from);
            if (from == 0 && end >= behindHeader) {
                return 0;
            }
            int first = Math.max(1, from);
            if (end - first >= elsewhere) {
                return first;
            }
            from = free.nextSetBit(end);
        }
        return NONE;
    }

    /** Where memory is kept, all of the capacity has been touched. */
    @GuardedBy("this")
    private void noteKept() {
        if (vmb.keepsMemory()) {
            BitSet kept = free.get(0, limit);
            backed.or(kept);
            backedFree = backed.cardinality();
        }
    }

    @GuardedBy("this")
    private void forget(int extent) {
        if (backed.get(extent)) {
            backed.clear(extent);
            backedFree--;
        }
    }

    /** Gives back the memory of free extents, the last extent first, until {@code left} free ones keep theirs. */
    @GuardedBy("this")
    private void giveBackFree(int left) {
        for (int extent = backed.length() - 1; backedFree > left; extent = backed.previousSetBit(extent - 1)) {
            giveBack(extent, 1);
            forget(extent);
        }
    }

    private void giveBack(int first, int count) {
        vmb.giveBack(start(first), (long) (first + count) << shift);
    }
}
