package dev.granary.e2e.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;

/**
 * For how long each client has had no write acknowledged since {@link #begin}. Clients count separately: while one
 * waits for a storage peer, the writes of others to other storage peers would hide it. Thread-safe.
 */
final class WriteGaps {

    @GuardedBy("this")
    private final long[] lastNanos;

    @GuardedBy("this")
    private final long[] longestNanos;

    WriteGaps(int clients) {
        this.lastNanos = new long[clients];
        this.longestNanos = new long[clients];
    }

    /** Forgets everything before, and measures from now on. */
    synchronized void begin(long nowNanos) {
        Arrays.fill(lastNanos, nowNanos);
        Arrays.fill(longestNanos, 0);
    }

    /** Records that a write of a client was acknowledged. */
    synchronized void acknowledged(int client, long nowNanos) {
        longestNanos[client] = Math.max(longestNanos[client], nowNanos - lastNanos[client]);
        lastNanos[client] = nowNanos;
    }

    /** Returns the longest time of all clients; a client that still waits counts with its time so far. */
    synchronized long longestNanos(long nowNanos) {
        long longest = 0;
        for (int i = 0; i < lastNanos.length; i++) {
            longest = Math.max(longest, Math.max(longestNanos[i], nowNanos - lastNanos[i]));
        }
        return longest;
    }
}
