package dev.granary.client;

import java.time.Duration;

/**
 * The lock of a chunk as its super-peer knows it.
 *
 * @param token the lock token of the holder, 0 when nobody holds the lock
 * @param remaining the rest of the lease
 * @param waiting number of lock requests that wait for the lock
 */
public record LockView(long token, Duration remaining, int waiting) {}
