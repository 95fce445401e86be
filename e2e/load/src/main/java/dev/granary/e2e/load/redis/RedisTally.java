package dev.granary.e2e.load.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What all clients have seen, second by second. Thread-safe. */
final class RedisTally {

    private static final int SHOWN = 20;

    private final long beganNanos;

    @GuardedBy("this")
    private final List<Long> bySecond = new ArrayList<>();

    @GuardedBy("this")
    private long longestNanos;

    @GuardedBy("this")
    private long wrong;

    @GuardedBy("this")
    private long failures;

    @GuardedBy("this")
    private long unknown;

    @GuardedBy("this")
    private long redirects;

    RedisTally(long beganNanos) {
        this.beganNanos = beganNanos;
    }

    /** An operation was answered after this time, retries included. */
    synchronized void answered(long nanos) {
        int second = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
        while (bySecond.size() <= second) {
            bySecond.add(0L);
        }
        bySecond.set(second, bySecond.get(second) + 1);
        longestNanos = Math.max(longestNanos, nanos);
    }

    synchronized void wrong(String what) {
        if (wrong++ < SHOWN) {
            System.out.println("WRONG " + what);
        }
    }

    synchronized void failed(String what) {
        if (failures++ < SHOWN) {
            System.out.println("FAILED " + what);
        }
    }

    synchronized void unknown() {
        unknown++;
    }

    synchronized void redirected() {
        redirects++;
    }

    synchronized long operations() {
        return bySecond.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the results as JSON, with the fields of the load on chunks and some more. */
    synchronized String json() {
        return "{\"operations\":%d,\"wrong\":%d,\"failures\":%d,\"unservedP99Millis\":%d,\"unknown\":%d,\"redirects\":%d,\"bySecond\":%s}"
                .formatted(
                        operations(),
                        wrong,
                        failures,
                        TimeUnit.NANOSECONDS.toMillis(longestNanos),
                        unknown,
                        redirects,
                        bySecond);
    }
}
