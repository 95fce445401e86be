package dev.granary.storage.door.chunks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap that values of chunks take on their way between clients of a door and owners, all clients together (SAFETY
 * rule "budgets"). Thread-safe.
 */
public final class ChunkRoom {

    /** What a chunk takes beside its value: its CID, its place in lists, and the object that is its value. */
    static final int BYTES_PER_CHUNK = 64;

    private final long mostBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    /** @param mostBytes the most that all requests may take at once */
    public ChunkRoom(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    long mostBytes() {
        return mostBytes;
    }

    /** Returns how much is taken. */
    public long usedBytes() {
        return usedBytes.get();
    }

    /** Returns the share of a request that has taken nothing yet. */
    Share share() {
        return new Share();
    }

    private boolean take(long bytes) {
        if (usedBytes.addAndGet(bytes) <= mostBytes) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        return false;
    }

    /** What one request has taken. Thread-safe: the parts of a reply come on several threads. */
    final class Share implements AutoCloseable {

        @GuardedBy("this")
        private long taken;

        @GuardedBy("this")
        private boolean closed;

        @GuardedBy("this")
        private boolean tooLarge;

        private Share() {}

        /** Takes more for a number of chunks with values; false when there is no room, or the request has ended. */
        synchronized boolean take(int chunks, long valueBytes) {
            long bytes = (long) chunks * BYTES_PER_CHUNK + valueBytes;
            tooLarge |= taken + bytes > mostBytes;
            if (closed || tooLarge || !ChunkRoom.this.take(bytes)) {
                return false;
            }
            taken += bytes;
            return true;
        }

        /** Returns whether the request wants more than there is room for all requests. */
        synchronized boolean isTooLarge() {
            return tooLarge;
        }

        /** Gives everything back. What comes later takes nothing. */
        @Override
        public synchronized void close() {
            closed = true;
            usedBytes.addAndGet(-taken);
            taken = 0;
        }
    }
}
