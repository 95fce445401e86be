package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Allows an action {@code atOnce} times at once, and then once in a period. Each period is drawn at random between 0.5
 * and 1.5 of its length, so that clients that began together do not act together. Thread-safe.
 */
final class Allowance {

    private final int atOnce;

    @GuardedBy("this")
    private long chance;

    @GuardedBy("this")
    private long nextNanos;

    @GuardedBy("this")
    private boolean any;

    /**
     * @param atOnce how many actions are allowed at once after a while without any, at least 1
     * @param seed a different one for each client
     */
    Allowance(int atOnce, long seed) {
        this.atOnce = atOnce;
        this.chance = seed;
    }

    /** Returns whether the action is allowed now; true counts it as done. */
    synchronized boolean take(long nowNanos, long periodNanos) {
        if (any && nowNanos - nextNanos < 0) {
            return false;
        }
        long earliestNanos = nowNanos - (atOnce - 1) * periodNanos;
        long fromNanos = any && nextNanos - earliestNanos > 0 ? nextNanos : earliestNanos;
        chance = mixed(chance);
        nextNanos = fromNanos + spread(periodNanos, chance);
        any = true;
        return true;
    }

    /** Returns 0.5 to 1.5 of a period, chosen by the random bits. */
    static long spread(long periodNanos, long bits) {
        return periodNanos / 2 + Long.remainderUnsigned(bits, periodNanos + 1);
    }

    /** Mixes a value: different values give different numbers without a pattern. */
    static long mixed(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
