package dev.granary.storage.lease;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RemoteErrorException;
import java.util.random.RandomGenerator;

/** How long to wait after a failure: doubling, with a random part, or as long as the other side says. */
final class Backoff {

    private static final long MIN_NANOS = 50_000_000;
    private static final long MAX_NANOS = 2_000_000_000;

    private final RandomGenerator random;
    private long nextNanos = MIN_NANOS;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    void reset() {
        nextNanos = MIN_NANOS;
    }

    /** The time to wait now, at most the maximum unless the other side asked for more. */
    long afterNanos(Throwable failure, long maxNanos) {
        if (failure instanceof RemoteErrorException remote) {
            ErrorReply reply = remote.reply();
            if (reply.retryAfterNanos() > 0) {
                return reply.retryAfterNanos();
            }
        }
        long limit = Math.min(nextNanos, maxNanos);
        nextNanos = Math.min(2 * nextNanos, MAX_NANOS);
        return limit / 2 + random.nextLong(limit / 2 + 1);
    }
}
