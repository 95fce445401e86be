package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The key of each object, in very little memory: 512 objects with consecutive keys take 16 bytes; without consecutive
 * keys an object takes 4 bytes outside the heap, which are counted.
 *
 * <p>Concurrency: threads may set keys at the same time if they work on different groups of {@link #GROUP} objects.
 */
final class KeyBook implements AutoCloseable {

    /** The number of objects that share an entry. */
    static final int GROUP = 512;

    /** Native memory for an object in a group without consecutive keys. */
    static final int BYTES_PER_SCATTERED_KEY = Integer.BYTES;

    private static final int GROUPS_PER_SLAB = 128;

    private final long[] bases;
    private final @Nullable MemorySegment[] offsets;
    private final Arena arena = Arena.ofShared();
    private final AtomicLong offHeapBytes = new AtomicLong();

    @GuardedBy("this")
    private @Nullable MemorySegment slab;

    @GuardedBy("this")
    private int usedOfSlab = GROUPS_PER_SLAB;

    KeyBook(long objects) {
        int groups = Math.toIntExact((objects + GROUP - 1) / GROUP);
        bases = new long[groups];
        offsets = new @Nullable MemorySegment[groups];
    }

    /** The most heap that a book of {@code objects} objects takes. */
    static long heapBytes(long objects) {
        return (objects / GROUP + 1) * 64;
    }

    /** Bytes of native memory in use. */
    long offHeapBytes() {
        return offHeapBytes.get();
    }

    long keyOf(long index) {
        int group = (int) (index / GROUP);
        int place = (int) (index % GROUP);
        MemorySegment own = offsets[group];
        return bases[group] + (own == null ? place : own.getAtIndex(JAVA_INT, place));
    }

    /** Notes a key. The first object of a group must be noted before the others. */
    void set(long index, long key) {
        int group = (int) (index / GROUP);
        int place = (int) (index % GROUP);
        MemorySegment own = offsets[group];
        if (own == null && place == 0 && bases[group] == 0) {
            bases[group] = key;
            return;
        }
        long offset = key - bases[group];
        if (own == null) {
            if (offset == place) {
                return;
            }
            own = allocate();
            for (int i = 0; i < GROUP; i++) {
                own.setAtIndex(JAVA_INT, i, i);
            }
            offsets[group] = own;
        }
        own.setAtIndex(JAVA_INT, place, Math.toIntExact(offset));
    }

    private synchronized MemorySegment allocate() {
        long groupBytes = (long) GROUP * Integer.BYTES;
        MemorySegment current = slab;
        if (current == null || usedOfSlab == GROUPS_PER_SLAB) {
            current = arena.allocate(GROUPS_PER_SLAB * groupBytes);
            slab = current;
            usedOfSlab = 0;
            offHeapBytes.addAndGet(GROUPS_PER_SLAB * groupBytes);
        }
        return current.asSlice(groupBytes * usedOfSlab++, groupBytes);
    }

    @Override
    public void close() {
        arena.close();
    }
}
