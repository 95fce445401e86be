package dev.granary.memory.arena;

import dev.granary.memory.OutOfChunkMemoryException;

/** Makes room when an allocation has failed. */
@FunctionalInterface
public interface Reclaimer {

    /** The outcome of an attempt to reclaim memory. */
    enum Reclaimed {
        /** There may be room now: the caller tries again. */
        ROOM,
        /** There is nothing to be had. */
        NOTHING,
        /** The caller may not move any more chunks now: later there may be room. */
        LATER
    }

    /** Compacts memory. The caller holds no stripe's lock, but perhaps a page's latch: latches are only tried. */
    Reclaimed reclaim(long neededBytes);

    /**
     * The same for who has room now or fails.
     *
     * @throws OutOfChunkMemoryException if it is not worth trying again
     */
    default void reclaimOrThrow(long neededBytes, long capacityBytes) {
        Reclaimed reclaimed = reclaim(neededBytes);
        if (reclaimed != Reclaimed.ROOM) {
            throw new OutOfChunkMemoryException(neededBytes, capacityBytes, reclaimed == Reclaimed.LATER);
        }
    }
}
