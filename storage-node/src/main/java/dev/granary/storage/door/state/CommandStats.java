package dev.granary.storage.door.state;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of one command. Thread-safe; a reset beside calls may miss some. */
public final class CommandStats {

    /** Calls of up to 1 microsecond, up to 2, up to 4, and so on; the last one has all others. */
    public static final int BUCKETS = 27;

    private final LongAdder calls = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder[] buckets = new LongAdder[BUCKETS];

    public CommandStats() {
        for (int i = 0; i < BUCKETS; i++) {
            buckets[i] = new LongAdder();
        }
    }

    /** Counts a call that was carried out. */
    public void called(long elapsedNanos, boolean wasError) {
        long micros = TimeUnit.NANOSECONDS.toMicros(elapsedNanos);
        calls.increment();
        nanos.add(elapsedNanos);
        buckets[micros <= 1 ? 0 : Math.min(BUCKETS - 1, Long.SIZE - Long.numberOfLeadingZeros(micros - 1))].increment();
        if (wasError) {
            failed.increment();
        }
    }

    /** Counts a call that was refused before it was carried out. */
    public void refused() {
        rejected.increment();
    }

    public long calls() {
        return calls.sum();
    }

    public long micros() {
        return TimeUnit.NANOSECONDS.toMicros(nanos.sum());
    }

    public long nanos() {
        return nanos.sum();
    }

    public long rejected() {
        return rejected.sum();
    }

    public long failed() {
        return failed.sum();
    }

    /** Returns how many calls took up to {@link #boundMicros} and longer than the bound before. */
    public long inBucket(int bucket) {
        return buckets[bucket].sum();
    }

    /** Returns the longest time, in microseconds, of the calls in a bucket. */
    public static long boundMicros(int bucket) {
        return 1L << bucket;
    }

    /** Returns a time, in microseconds, within which a part of all calls ended: the bound of its bucket. */
    public long percentileMicros(double percent) {
        long total = 0;
        for (LongAdder bucket : buckets) {
            total += bucket.sum();
        }
        long wanted = (long) Math.ceil(total * percent / 100);
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += buckets[i].sum();
            if (seen >= wanted) {
                return boundMicros(i);
            }
        }
        return boundMicros(BUCKETS - 1);
    }

    /** Begins at zero again. */
    public void reset() {
        calls.reset();
        nanos.reset();
        rejected.reset();
        failed.reset();
        for (LongAdder bucket : buckets) {
            bucket.reset();
        }
    }
}
