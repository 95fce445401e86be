package dev.granary.superpeer.node;

import dev.granary.env.Confined;
import java.util.concurrent.TimeUnit;

/**
 * Tells clients that come while there is no room when to try again: one after the other, so that never more come at
 * once than the super-peer can answer. Not thread-safe.
 */
public final class Turns {

    /** The shortest pause of a client. */
    static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The longest pause of a client. When even this is too short for all of them, several come at once. */
    static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The time between two clients: ten thousand come again in a second. */
    public static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Confined confined = new Confined();
    private long lastNanos;
    private boolean any;

    /**
     * Returns how long the next client is to wait: longer than the one before, while clients come faster than one in
     * {@link #TURN_NANOS}.
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
