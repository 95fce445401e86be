package dev.granary.memory.map;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How an {@link OffHeapMap} is opened.
 *
 * @param capacityBytes what entries may take with all that belongs to them, {@link #MIN_CAPACITY_BYTES} to
 *     {@link #MAX_CAPACITY_BYTES}; the directory of groups lies beside it, 16 B for each group of about 2 to 4 KiB, at
 *     most a sixteenth of the capacity. Address space is taken at once, memory as it is used
 * @param hugePages whether the operating system is asked for huge pages: a third less latency,
 *     and memory taken 2 MiB at a time
 * @param seed of the hash; one drawn at random keeps strangers from choosing keys that collide
 * @param nowMillis the clock that entries expire by, in milliseconds, not before 1; null if none shall ever expire
 * @param listener learns of every change, in the order of changes; null if nobody wants to
 * @param limitBytes what keys, values, blocks of groups and the directory may take together; free blocks come on top,
 *     so the capacity should be an eighth larger
 * @param eviction what happens to a put that would exceed the limit
 */
public record OffHeapMapConfig(
        long capacityBytes,
        boolean hugePages,
        long seed,
        @Nullable LongSupplier nowMillis,
        @Nullable OffHeapMapListener listener,
        long limitBytes,
        OffHeapMapEviction eviction) {

    /** 4 MiB. */
    public static final long MIN_CAPACITY_BYTES = 4L << 20;

    /** 4 TiB. */
    public static final long MAX_CAPACITY_BYTES = 4L << 40;

    /**
     * Checks capacity and limit.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public OffHeapMapConfig {
        if (capacityBytes < MIN_CAPACITY_BYTES || capacityBytes > MAX_CAPACITY_BYTES) {
            throw new IllegalArgumentException("capacityBytes is " + capacityBytes + ", allowed are "
                    + MIN_CAPACITY_BYTES + " to " + MAX_CAPACITY_BYTES);
        }
        if (limitBytes < 1) {
            throw new IllegalArgumentException("limitBytes is " + limitBytes + ", but has to be 1 at least");
        }
    }

    /** A map without expiry, with huge pages and a fixed seed. */
    public static OffHeapMapConfig of(long capacityBytes) {
        return new OffHeapMapConfig(capacityBytes, true, 0x5eed, null, null, Long.MAX_VALUE, OffHeapMapEviction.NONE);
    }

    /** The same with or without huge pages. */
    public OffHeapMapConfig withHugePages(boolean wanted) {
        return new OffHeapMapConfig(capacityBytes, wanted, seed, nowMillis, listener, limitBytes, eviction);
    }

    /** The same with another seed. */
    public OffHeapMapConfig withSeed(long newSeed) {
        return new OffHeapMapConfig(capacityBytes, hugePages, newSeed, nowMillis, listener, limitBytes, eviction);
    }

    /** The same with entries that may expire. */
    public OffHeapMapConfig withClock(LongSupplier clockMillis) {
        return new OffHeapMapConfig(capacityBytes, hugePages, seed, clockMillis, listener, limitBytes, eviction);
    }

    /** The same with one who learns of every change. */
    public OffHeapMapConfig withListener(OffHeapMapListener wanted) {
        return new OffHeapMapConfig(capacityBytes, hugePages, seed, nowMillis, wanted, limitBytes, eviction);
    }

    /** The same with a limit, and what is done to stay below it. */
    public OffHeapMapConfig withLimit(long bytes, OffHeapMapEviction policy) {
        return new OffHeapMapConfig(capacityBytes, hugePages, seed, nowMillis, listener, bytes, policy);
    }
}
