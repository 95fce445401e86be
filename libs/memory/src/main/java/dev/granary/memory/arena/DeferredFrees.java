package dev.granary.memory.arena;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.os.LongList;

/**
 * Blocks of an arena that were freed by somebody who holds another stripe's lock and therefore must not wait for this
 * one. Thread-safe.
 */
public final class DeferredFrees {

    @GuardedBy("this")
    private final LongList blocks = new LongList();

    private volatile boolean filled;

    public synchronized void add(long block, long sizeBytes) {
        blocks.add(block);
        blocks.add(sizeBytes);
        filled = true;
    }

    /** Frees them. Under the lock of the arena's stripe. */
    public void drain(BlockArena arena) {
        if (filled) {
            synchronized (this) {
                while (blocks.size() > 0) {
                    long sizeBytes = blocks.removeLast();
                    arena.free(blocks.removeLast(), sizeBytes);
                }
                filled = false;
            }
        }
    }
}
