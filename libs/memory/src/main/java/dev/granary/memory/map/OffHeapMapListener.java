package dev.granary.memory.map;

/**
 * Learns of every change of an {@link OffHeapMap}, for a log that shall have them in the same order: changes of one
 * hash group, and with that of one key, are told one after the other as they happen.
 */
@FunctionalInterface
public interface OffHeapMapListener {

    /** What has become of an entry. */
    enum Change {
        /** It was inserted, or its value and expiry were replaced. An expired one may have been there before. */
        PUT,
        /** It expires at another time. */
        EXPIRY,
        /** It is removed because somebody wanted it. */
        REMOVED,
        /** It is removed because it had expired. */
        EXPIRED,
        /** It is removed to make way for others. */
        EVICTED
    }

    /**
     * Called under the latch of the entry's group by the thread that changes it: it must be short, must not block, must
     * not call the map, and must not throw. What it throws reaches whoever changed the entry; a put and a new expiry
     * stay then, and what was to be removed is still there.
     *
     * @param entry as it is from now on, or as it was when it is removed; for the call only
     */
    void changed(Change change, OffHeapMapView entry);
}
