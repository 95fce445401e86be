package dev.granary.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How often somebody may guess passwords: after {@link #FREE} that were wrong, one each {@link #SECONDS_EACH} seconds
 * from the same address. Thread-safe.
 *
 * <p>Invariant: an address that is not among {@code debts} owes nothing.
 */
final class GuessLimit {

    static final int FREE = 10;
    static final int SECONDS_EACH = 6;

    /** Whoever has so many addresses at hand guesses for longer. */
    private static final int MOST_ADDRESSES = 1 << 12;

    private static final long EACH_NANOS = TimeUnit.SECONDS.toNanos(SECONDS_EACH);

    private final Clock clock;

    /** For each address the time at which its wrong guesses are forgotten; the eldest is first. */
    @GuardedBy("this")
    private final Map<InetAddress, Long> debts = new LinkedHashMap<>();

    GuessLimit(Clock clock) {
        this.clock = clock;
    }

    /** Returns whether an address may give a password. */
    synchronized boolean mayGuess(InetAddress address) {
        Long until = debts.get(address);
        if (until == null) {
            return true;
        }
        long left = until - clock.nanoTime();
        if (left <= 0) {
            debts.remove(address);
        }
        return left <= (FREE - 1) * EACH_NANOS;
    }

    /** Notes that a password was wrong. */
    synchronized void wrong(InetAddress address) {
        long now = clock.nanoTime();
        Long before = debts.remove(address);
        long from = before == null || before - now < 0 ? now : before;
        debts.put(address, from + EACH_NANOS);
        if (debts.size() > MOST_ADDRESSES) {
            debts.remove(debts.keySet().iterator().next());
        }
    }
}
