package dev.granary.client;

import java.time.Duration;

/**
 * The lock of a chunk as its super-peer knows it.
 *
 * @param token of the holder, 0 when nobody holds it
 * @param remaining of the lease
 * @param waiting how many lock requests wait for the lock
 */
public record LockView(long token, Duration remaining, int waiting) {}
