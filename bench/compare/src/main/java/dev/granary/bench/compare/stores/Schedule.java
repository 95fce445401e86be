package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.CaseRequest;
import java.util.concurrent.TimeUnit;

/** When the requests of one thread are due. Not thread-safe. */
final class Schedule {

    /** Nanoseconds between two requests of this thread; 0 in a closed loop. */
    private final double periodNanos;

    private final long firstNanos;
    private long given;

    private Schedule(double periodNanos, long firstNanos) {
        this.periodNanos = periodNanos;
        this.firstNanos = firstNanos;
    }

    /**
     * The schedule of a thread. The threads of an open loop take turns.
     *
     * @param thread counted from 0
     * @param beginNanos when the measurement begins
     */
    static Schedule of(CaseRequest request, int thread, long beginNanos) {
        if (request.opsPerSecond() == 0) {
            return new Schedule(0, beginNanos);
        }
        double betweenAllNanos = TimeUnit.SECONDS.toNanos(1) / request.opsPerSecond();
        return new Schedule(betweenAllNanos * request.threads(), beginNanos + Math.round(betweenAllNanos * thread));
    }

    /** Whether requests are due at certain times. */
    boolean isOpen() {
        return periodNanos > 0;
    }

    /** When the next request is due; in a closed loop at once. */
    long next(long nowNanos) {
        return isOpen() ? firstNanos + Math.round(periodNanos * given++) : nowNanos;
    }
}
