package dev.granary.storage.keyed;

/**
 * Memory of keys that was taken for a call before it began, so that others cannot take what was made free for it. What
 * the call does not need goes back at its end. Used by one thread.
 */
final class KeyedLoan implements AutoCloseable {

    private final KeyedMemory memory;
    private final boolean lends;
    private long bytes;

    /** @param bytes what was taken; 0 for nothing: the call then takes what it needs itself */
    KeyedLoan(KeyedMemory memory, long bytes) {
        this.memory = memory;
        this.lends = bytes > 0;
        this.bytes = bytes;
    }

    /** Takes room, first of what was taken before. Returns whether it was there. */
    boolean take(long room) {
        long lent = Math.min(bytes, room);
        if (room > lent && !memory.take(room - lent)) {
            return false;
        }
        bytes -= lent;
        return true;
    }

    /** Gives room back that was taken here. */
    void back(long room) {
        if (lends) {
            bytes += room;
        } else {
            memory.give(room);
        }
    }

    @Override
    public void close() {
        memory.give(bytes);
        bytes = 0;
    }
}
