package dev.granary.storage.keyed.hot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The look at hot keys of a storage peer; there is one at a time. While there is none, a request costs the read of one
 * field. Thread-safe.
 *
 * <pre>
 *   NONE --start--> ACTIVE --stop, end of its duration--> STOPPED --reset--> NONE
 *                     ^                                      |
 *                     '---------------- start ---------------'
 * </pre>
 */
public final class HotKeys {

    private final Clock clock;
    private final KeyHeat heat;

    /** What requests are added to. */
    private volatile @Nullable HotKeySession active;

    /** The session of which is told. */
    @GuardedBy("this")
    private @Nullable HotKeySession last;

    @GuardedBy("this")
    private long endNanos;

    public HotKeys(Clock clock) {
        this.clock = clock;
        this.heat = new KeyHeat(clock);
    }

    /** Returns which keys are asked for most now, which is always counted. */
    public KeyHeat heat() {
        return heat;
    }

    /** Returns what requests are added to; null if there is nothing. */
    public @Nullable HotKeySession active() {
        return active;
    }

    /** Begins, and forgets what was seen before; false if it is being looked already. */
    public synchronized boolean start(HotKeyOptions options) {
        endIfOver();
        if (active != null) {
            return false;
        }
        HotKeySession begun = new HotKeySession(options, clock.nanoTime(), clock.wallMillis());
        last = begun;
        active = begun;
        return true;
    }

    /** Ends, and keeps what was seen; false if nothing was being looked at. */
    public synchronized boolean stop() {
        endIfOver();
        HotKeySession ending = active;
        if (ending == null) {
            return false;
        }
        endNanos = clock.nanoTime();
        active = null;
        return true;
    }

    /** Forgets what was seen; false if it is being looked. */
    public synchronized boolean reset() {
        endIfOver();
        if (active != null) {
            return false;
        }
        last = null;
        return true;
    }

    /** Returns what was seen, or is being seen; empty if there is nothing. */
    public synchronized Optional<HotKeyReport> report() {
        endIfOver();
        HotKeySession known = last;
        if (known == null) {
            return Optional.empty();
        }
        boolean looks = active != null;
        return Optional.of(known.report(looks, looks ? clock.nanoTime() : endNanos));
    }

    @GuardedBy("this")
    private void endIfOver() {
        HotKeySession known = active;
        long now = clock.nanoTime();
        if (known != null && known.isOver(now)) {
            endNanos = known.endNanos(now);
            active = null;
        }
    }
}
