package dev.granary.storage.backup;

/** What a backup knows of its own incarnation. Any thread. */
public interface Incarnation {

    /** Returns its epoch, 0 before its first lease. */
    long epoch();

    /**
     * Returns whether it holds a lease. Without one another machine may have taken its place, with a copy of its disk
     * (SAFETY rule "bootstrap and restart").
     */
    boolean holdsLease();
}
