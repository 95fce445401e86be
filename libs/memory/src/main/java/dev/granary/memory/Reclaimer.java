package dev.granary.memory;

/** Makes room when an allocation has failed. */
@FunctionalInterface
interface Reclaimer {

    /**
     * Compacts memory. The caller holds no stripe's lock, but perhaps a page's latch: latches are only tried.
     *
     * @return whether it is worth trying again
     */
    boolean reclaim(long neededBytes);
}
