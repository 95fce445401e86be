package dev.granary.memory.map;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory for blocks: slabs of equal size, each cut into blocks of one size class, or free. Blocks of a class are taken
 * from its slabs and given back to them; a slab without blocks is free for every class. {@link MapCleaner} empties the
 * emptiest slabs of classes that have too much room (ADR 0013). Thread-safe; a lock for each class, and one for the
 * free slabs, which is taken inside of it.
 *
 * <p>Each slab has three words in a table:
 *
 * <pre>
 * 0                       8                       16                      24
 * +-----------------------+-----------------------+-----------------------+
 * | first free block, or 0| next slab | previous  | class + 1 | live      |
 * |                       |   32 bits |   32 bits |   16 bits | 16, cut 16|
 * +-----------------------+-----------------------+-----------------------+
 * </pre>
 *
 * A free block's first word is the address of the next free one in its slab, above 8 bits of 0.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A block belongs to the class of its slab, and is either free, in the slab's list, or counted as live.
 *   <li>A slab is in the list of its class if and only if it has room and is not being emptied.
 *   <li>Live and free blocks of a class add up to what its slabs have room for.
 *   <li>A slab without live blocks is among the free ones.
 * </ol>
 */
final class MapSlabs {

    static final int TABLE_ENTRY_BYTES = 24;

    /** What the classes take on the heap, about: an object and a lock each. */
    static final int HEAP_BYTES = MapBlockSizes.COUNT * 160;

    /** How many larger classes are tried for a block when there is no slab for its own class. */
    private static final int LARGER_CLASSES = 8;

    /** How many free slabs keep their memory, in addition to those that {@link #KEPT_SHARE} allows. */
    private static final int KEPT_SLABS = 4;

    /** One free slab for this many slabs in use keeps its memory. */
    private static final int KEPT_SHARE = 128;

    private final MapMemory memory;
    private final long start;
    private final int shift;
    private final int count;
    private final MapSlabTable table;
    private final MapSlabClass[] classes = new MapSlabClass[MapBlockSizes.COUNT];
    private final ReentrantLock lock = new ReentrantLock();
    /** Written with each block by any thread; read by puts only where there is a limit. */
    private final LongAdder takenBytes = new LongAdder();

    private volatile int roomyClass = MapSlabTable.NONE;

    @GuardedBy("lock")
    private int used;

    @GuardedBy("lock")
    private int firstFree = MapSlabTable.NONE;

    @GuardedBy("lock")
    private int free;

    @GuardedBy("lock")
    private int firstReturned = MapSlabTable.NONE;

    private int returned;

    /**
     * @param tableStart where the table lies, zeroed
     * @param start where the first slab lies, zeroed
     * @param count how many slabs there are
     * @param shift of their size
     */
    MapSlabs(MapMemory memory, long tableStart, long start, int count, int shift) {
        this.memory = memory;
        this.start = start;
        this.shift = shift;
        this.count = count;
        this.table = new MapSlabTable(memory, tableStart);
        for (int i = 0; i < classes.length; i++) {
            classes[i] = new MapSlabClass(this, memory, table, i);
        }
    }

    /** The largest block of a map whose slabs have this size. */
    static int maxBlockBytes(int slabShift) {
        return Math.min(MapBlockSizes.MAX_BYTES, 1 << (slabShift - 2));
    }

    /**
     * Takes a block.
     *
     * @return its word, or 0 if there is no room
     */
    long allocate(int sizeClass) {
        long address = classes[sizeClass].allocate(true);
        for (int i = 1; address == 0 && i <= LARGER_CLASSES; i++) {
            int larger = sizeClass + i;
            if (larger >= classes.length || MapBlockSizes.sizeBytes(larger) > maxBlockBytes(shift)) {
                return 0;
            }
            address = classes[larger].allocate(false);
            if (address != 0) {
                return MapBlockSizes.word(address, larger);
            }
        }
        return address == 0 ? 0 : MapBlockSizes.word(address, sizeClass);
    }

    /** A class has taken or given back blocks. */
    void count(long bytes) {
        takenBytes.add(bytes);
    }

    /** What blocks take that are in use: {@link #liveBytes} without its locks. */
    long takenBytes() {
        return takenBytes.sum();
    }

    /** Gives a block back. Its bytes may be overwritten at once. */
    void free(long word) {
        int sizeClass = MapBlockSizes.sizeClass(word);
        if (classes[sizeClass].free(MapBlockSizes.address(word))) {
            roomyClass = sizeClass;
        }
    }

    /** A class that had too much room when this was last asked, or {@link MapSlabTable#NONE}. */
    int takeRoomyClass() {
        int roomy = roomyClass;
        if (roomy != MapSlabTable.NONE) {
            roomyClass = MapSlabTable.NONE;
        }
        return roomy;
    }

    MapSlabClass sizeClass(int index) {
        return classes[index];
    }

    /** A free slab, or {@link MapSlabTable#NONE}. */
    int takeSlab() {
        lock.lock();
        try {
            if (firstFree != MapSlabTable.NONE) {
                int slab = firstFree;
                firstFree = table.next(slab);
                free--;
                return slab;
            }
            if (firstReturned != MapSlabTable.NONE) {
                int slab = firstReturned;
                firstReturned = table.next(slab);
                returned--;
                return slab;
            }
            return used < count ? used++ : MapSlabTable.NONE;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a slab back that has no live block. A few are kept, the memory of the others is given to the system. */
    void giveSlab(int slab) {
        lock.lock();
        try {
            table.clear(slab);
            if (free < KEPT_SLABS + used / KEPT_SHARE) {
                table.setNext(slab, firstFree);
                firstFree = slab;
                free++;
            } else {
                memory.giveBack(address(slab), address(slab) + slabBytes());
                table.setNext(slab, firstReturned);
                firstReturned = slab;
                returned++;
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many slabs no class has. */
    int freeSlabs() {
        lock.lock();
        try {
            return count - used + free + returned;
        } finally {
            lock.unlock();
        }
    }

    /** How many slabs may take memory. */
    int committedSlabs() {
        lock.lock();
        try {
            return used - returned;
        } finally {
            lock.unlock();
        }
    }

    /** How many slabs have been in use so far. */
    int usedSlabs() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    int count() {
        return count;
    }

    int slabBytes() {
        return 1 << shift;
    }

    long address(int slab) {
        return start + ((long) slab << shift);
    }

    /** The slab in which an address lies. */
    int slabOf(long address) {
        return (int) ((address - start) >>> shift);
    }

    MapSlabTable table() {
        return table;
    }

    MapMemory memory() {
        return memory;
    }

    /** What all blocks that are in use take. */
    long liveBytes() {
        long bytes = 0;
        for (MapSlabClass each : classes) {
            bytes += each.liveBytes();
        }
        return bytes;
    }
}
