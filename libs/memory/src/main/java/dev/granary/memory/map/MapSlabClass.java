package dev.granary.memory.map;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;

/** The blocks of one size: the slabs that have room are in a list, the one that was given a block last in front. */
final class MapSlabClass {

    /** How many slabs at the end of the list are compared to find the emptiest. */
    private static final int SAMPLE = 64;

    /** Room beyond this share of the live blocks, and beyond one slab, is too much. */
    private static final int TOLERATED_SHARE = 128;

    private static final int NONE = MapSlabTable.NONE;

    private final MapSlabs slabs;
    private final MapMemory memory;
    private final MapSlabTable table;
    private final int sizeClass;
    private final int blockBytes;
    private final int perSlab;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int first = NONE;

    @GuardedBy("lock")
    private int last = NONE;

    @GuardedBy("lock")
    private int draining = NONE;

    @GuardedBy("lock")
    private long live;

    /** Blocks that could be taken without another slab, those of the slab that is being emptied included. */
    @GuardedBy("lock")
    private long room;

    MapSlabClass(MapSlabs slabs, MapMemory memory, MapSlabTable table, int sizeClass) {
        this.slabs = slabs;
        this.memory = memory;
        this.table = table;
        this.sizeClass = sizeClass;
        this.blockBytes = MapBlockSizes.sizeBytes(sizeClass);
        this.perSlab = slabs.slabBytes() / blockBytes;
    }

    int blockBytes() {
        return blockBytes;
    }

    int perSlab() {
        return perSlab;
    }

    /**
     * Takes a block.
     *
     * @param mayTakeSlab whether a free slab may be taken for it
     * @return its address, or 0 if there is none
     */
    long allocate(boolean mayTakeSlab) {
        lock.lock();
        try {
            if (first == NONE && !(mayTakeSlab && begin())) {
                return 0;
            }
            int slab = first;
            long block = table.firstFree(slab);
            if (block != 0) {
                table.setFirstFree(slab, memory.word(block) >>> 8);
            } else {
                int cut = table.cut(slab);
                block = slabs.address(slab) + (long) cut * blockBytes;
                table.setCut(slab, cut + 1);
            }
            int liveHere = table.live(slab) + 1;
            table.setLive(slab, liveHere);
            if (liveHere == perSlab) {
                unlink(slab);
            }
            count(1);
            return block;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a block back.
     *
     * @return whether there is enough free room now that a slab should be emptied
     */
    boolean free(long block) {
        lock.lock();
        try {
            int slab = slabs.slabOf(block);
            // An aligned word, written at once: the cleaner looks at it without a lock.
            memory.setRelease(block, table.firstFree(slab) << 8);
            table.setFirstFree(slab, block);
            int liveHere = table.live(slab) - 1;
            table.setLive(slab, liveHere);
            count(-1);
            if (liveHere == 0) {
                end(slab);
            } else if (liveHere == perSlab - 1 && slab != draining) {
                linkFirst(slab);
            }
            return hasTooMuchRoom();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins to empty the emptiest slab: no block is taken from it any more.
     *
     * @param urgent whether it is worth it whenever all blocks of a slab find room in the others
     * @return the slab that is being emptied, or {@link MapSlabTable#NONE}
     */
    int drain(boolean urgent) {
        lock.lock();
        try {
            boolean worthIt = urgent ? room >= perSlab : hasTooMuchRoom();
            if (draining == NONE && worthIt && first != last) {
                draining = emptiest();
                unlink(draining);
            }
            return draining;
        } finally {
            lock.unlock();
        }
    }

    /** Whether this slab is still being emptied. */
    boolean isDraining(int slab) {
        lock.lock();
        try {
            return draining == slab;
        } finally {
            lock.unlock();
        }
    }

    /** How many blocks have been cut off in a slab that is being emptied. */
    int cut(int slab) {
        return table.cut(slab);
    }

    /** Gives up emptying a slab, if it still is being emptied. */
    void stopDraining(int slab) {
        lock.lock();
        try {
            if (draining == slab) {
                draining = NONE;
                linkFirst(slab);
            }
        } finally {
            lock.unlock();
        }
    }

    long live() {
        lock.lock();
        try {
            return live;
        } finally {
            lock.unlock();
        }
    }

    long liveBytes() {
        return live() * blockBytes;
    }

    /** For the verifier: the first slab of the list. */
    int first() {
        lock.lock();
        try {
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** For the verifier. */
    long room() {
        lock.lock();
        try {
            return room;
        } finally {
            lock.unlock();
        }
    }

    /** For the verifier. */
    int draining() {
        lock.lock();
        try {
            return draining;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean hasTooMuchRoom() {
        return room > perSlab + live / TOLERATED_SHARE;
    }

    @GuardedBy("lock")
    private int emptiest() {
        int best = last;
        int slab = last;
        for (int i = 0; i < SAMPLE && slab != NONE; i++) {
            best = table.live(slab) < table.live(best) ? slab : best;
            slab = table.previous(slab);
        }
        return best;
    }

    @GuardedBy("lock")
    private boolean begin() {
        int slab = slabs.takeSlab();
        if (slab == NONE) {
            return false;
        }
        table.begin(slab, sizeClass);
        room += perSlab;
        linkFirst(slab);
        return true;
    }

    @GuardedBy("lock")
    private void end(int slab) {
        if (slab == draining) {
            draining = NONE;
        } else {
            unlink(slab);
        }
        room -= perSlab;
        slabs.giveSlab(slab);
    }

    @GuardedBy("lock")
    private void count(int taken) {
        live += taken;
        room -= taken;
        slabs.count((long) taken * blockBytes);
    }

    @GuardedBy("lock")
    private void linkFirst(int slab) {
        table.setPrevious(slab, NONE);
        table.setNext(slab, first);
        if (first == NONE) {
            last = slab;
        } else {
            table.setPrevious(first, slab);
        }
        first = slab;
    }

    @GuardedBy("lock")
    private void unlink(int slab) {
        int before = table.previous(slab);
        int after = table.next(slab);
        if (before == NONE) {
            first = after;
        } else {
            table.setNext(before, after);
        }
        if (after == NONE) {
            last = before;
        } else {
            table.setPrevious(after, before);
        }
    }
}
