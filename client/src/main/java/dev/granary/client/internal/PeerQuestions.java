package dev.granary.client.internal;

import dev.granary.env.Backoff;
import dev.granary.env.Clock;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks about single storage peers, and less often while the answer stays the same. Otherwise operations that wait for a
 * dead peer would ask its super-peer all the time. One question about a peer is under way at a time. The answer is used
 * for a time that doubles from 50 ms to 1 s while nothing changes. Thread-safe.
 */
final class PeerQuestions {

    private static final Backoff HOLDS = new Backoff(50_000_000, 1_000_000_000);

    private final Clock clock;
    private final long seed;
    private final SingleFlight<Integer, PeerInfo> underWay = new SingleFlight<>();
    private final ConcurrentHashMap<Integer, Known> known = new ConcurrentHashMap<>();

    /**
     * What is known of a peer.
     *
     * @param times number of equal answers in a row
     */
    private record Known(PeerInfo info, int times, long untilNanos) {}

    /** @param seed a different one for each client */
    PeerQuestions(Clock clock, long seed) {
        this.clock = clock;
        this.seed = seed;
    }

    /**
     * Returns what the super-peers say of a storage peer, or said a moment ago.
     *
     * @param question asks the super-peers; used if their last answer is too old
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
        int times = last != null && isSame(last.info, info) ? last.times + 1 : 1;
        long nowNanos = clock.nanoTime();
        long bits = Allowance.mixed(seed ^ nowNanos ^ info.nid());
        return new Known(info, times, nowNanos + Allowance.spread(HOLDS.nanos(times), bits));
    }

    private static boolean isSame(PeerInfo left, PeerInfo right) {
        return left.live() == right.live()
                && left.epoch() == right.epoch()
                && left.fencedEpoch() == right.fencedEpoch()
                && left.drain() == right.drain()
                && left.address().equals(right.address());
    }
}
