package dev.granary.client.internal;

import dev.granary.env.Clock;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks about single storage peers, and rarely as long as the answer is the same: operations that wait for a peer that
 * died would ask its super-peer all the time. One question about a peer is under way at a time, and the answer holds
 * for a while, which doubles from {@value #FIRST_NANOS} ns to {@value #LAST_NANOS} ns while nothing changes.
 * Thread-safe.
 */
final class PeerQuestions {

    static final long FIRST_NANOS = 50_000_000;
    static final long LAST_NANOS = 1_000_000_000;

    private final Clock clock;
    private final long seed;
    private final SingleFlight<Integer, PeerInfo> underWay = new SingleFlight<>();
    private final ConcurrentHashMap<Integer, Known> known = new ConcurrentHashMap<>();

    private record Known(PeerInfo info, long holdsNanos, long untilNanos) {}

    /** @param seed another one for each client */
    PeerQuestions(Clock clock, long seed) {
        this.clock = clock;
        this.seed = seed;
    }

    /**
     * What the super-peers say of a storage peer, or said a moment ago.
     *
     * @param question is asked if that is too long ago
     */
    CompletableFuture<PeerInfo> ask(int nid, Supplier<CompletableFuture<PeerInfo>> question) {
        Known last = known.get(nid);
        if (last != null && clock.nanoTime() - last.untilNanos < 0) {
            return CompletableFuture.completedFuture(last.info);
        }
        return underWay.run(nid, () -> question.get().thenApply(info -> {
            known.put(nid, remembered(last, info));
            return info;
        }));
    }

    private Known remembered(@Nullable Known last, PeerInfo info) {
        boolean same = last != null && isSame(last.info, info);
        long holdsNanos = same && last != null ? Math.min(2 * last.holdsNanos, LAST_NANOS) : FIRST_NANOS;
        long nowNanos = clock.nanoTime();
        long bits = Allowance.mixed(seed ^ nowNanos ^ info.nid());
        return new Known(info, holdsNanos, nowNanos + Allowance.spread(holdsNanos, bits));
    }

    private static boolean isSame(PeerInfo left, PeerInfo right) {
        return left.live() == right.live()
                && left.epoch() == right.epoch()
                && left.fencedEpoch() == right.fencedEpoch()
                && left.drain() == right.drain()
                && left.address().equals(right.address());
    }
}
