package dev.granary.storage.door.state;

import org.jspecify.annotations.Nullable;

/** Until when requests wait because a client has asked for it. Thread-safe. */
public final class Pause {

    private volatile @Nullable Span span;

    /** Until when, and which requests. */
    private record Span(long untilNanos, boolean changesOnly) {}

    /** Pauses; a pause that ends later stays, and one of all requests stays one of all. */
    public void begin(long nowNanos, long forNanos, boolean changesOnly) {
        Span before = span;
        long leftNanos = before == null ? 0 : before.untilNanos - nowNanos;
        span = before != null && leftNanos > 0
                ? new Span(nowNanos + Math.max(forNanos, leftNanos), changesOnly && before.changesOnly)
                : new Span(nowNanos + forNanos, changesOnly);
    }

    public void end() {
        span = null;
    }

    /** Returns how long a request has to wait from now on; 0 for not at all. */
    public long waitNanos(long nowNanos, boolean isChange) {
        Span now = span;
        return now == null || (now.changesOnly && !isChange) ? 0 : Math.max(0, now.untilNanos - nowNanos);
    }

    public boolean isOn() {
        return span != null;
    }
}
