package dev.granary.superpeer.node;

import dev.granary.env.Confined;
import java.util.concurrent.TimeUnit;

/**
 * Tells those who come while there is no room when to come again: one after the other, so that as many come at once as
 * can be looked at, however many there are. Not thread-safe.
 */
public final class Turns {

    /** Nobody comes again earlier. */
    static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Nobody waits longer; when there are so many, more come at once. */
    static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Ten thousand come again in a second. */
    public static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Confined confined = new Confined();
    private long lastNanos;
    private boolean any;

    /**
     * How long the next one is to wait: longer than the one before,
     * as long as they come faster than they are to come again.
     */
    public long pauseNanos(long nowNanos) {
        assert confined.here() : confined;
        long earliestNanos = nowNanos + MIN_PAUSE_NANOS;
        long turnNanos = any ? Math.max(earliestNanos, lastNanos + TURN_NANOS) : earliestNanos;
        lastNanos = Math.min(turnNanos, nowNanos + MAX_PAUSE_NANOS);
        any = true;
        return lastNanos - nowNanos;
    }
}
