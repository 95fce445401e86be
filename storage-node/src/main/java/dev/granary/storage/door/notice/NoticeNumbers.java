package dev.granary.storage.door.notice;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers of notices. They rise, and no two storage peers give the same one: clients of a cluster hear from many peers,
 * and take a number that they know for an event that they know. A number is below 2^53, so that clients in JavaScript
 * do not round it. Thread-safe.
 */
public final class NoticeNumbers {

    private static final int NID_BITS = 16;

    /** Numbers rise with time, so that they go on to rise after a restart; 15 a second, and more in bursts. */
    private static final int MILLIS_PER_NUMBER = 64;

    private final AtomicLong last = new AtomicLong();

    /**
     * Returns the next number.
     *
     * @param nid of this storage peer
     */
    public long next(int nid, long wallMillis) {
        long now = wallMillis / MILLIS_PER_NUMBER;
        return last.updateAndGet(before -> Math.max(before + 1, now)) << NID_BITS | nid;
    }
}
