package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Backoff;
import dev.granary.env.Loop;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Follows super-peers to which the connection was lost, until they are reached again, have another known address, or
 * are off the ring. Operations need them when a storage peer fails, and should not wait for an old address then (ADR
 * 0193). Fetches the ring after 400 ms, and then after pauses that double up to 6.4 s. Thread-safe.
 */
final class LostSuperPeers {

    private static final Backoff PAUSES = new Backoff(400_000_000, 6_400_000_000L);

    private final Ringside ringside;
    private final Loop loop;
    private final Set<Lost> lost = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private int looks;

    @GuardedBy("this")
    private long chance;

    /** A super-peer with its last known address. */
    private record Lost(int nid, HostAddress address) {}

    /** The ring as the client sees it. */
    interface Ringside {
        /** Returns the super-peers on the ring. */
        List<RingMember> members();

        /** Fetches the ring from the first super-peer that answers; ignores failures. */
        void fetch();

        /** Asks this super-peer itself, so that the connection to it is opened if possible. */
        CompletableFuture<?> reach(int nid, HostAddress address);
    }

    /** @param seed a different one for each client */
    LostSuperPeers(Retry.Context context, Ringside ringside, long seed) {
        this.ringside = ringside;
        this.chance = seed;
        this.loop = Loop.every(context.scheduler(), "lost-super-peers", this::nextPauseNanos, this::look);
    }

    /**
     * Notes that a connection to a node was lost or could not be opened. Follows the node from now on if it is a
     * super-peer.
     */
    void lost(int nid, HostAddress address) {
        if (!isMember(nid, address) || !lost.add(new Lost(nid, address))) {
            return;
        }
        long delayNanos = firstPauseNanos();
        if (loop.isRunning()) {
            loop.again(delayNanos);
        } else {
            loop.beginAfter(delayNanos);
        }
    }

    private synchronized long firstPauseNanos() {
        looks = 0;
        return nextPauseNanos();
    }

    private boolean isMember(int nid, HostAddress address) {
        for (RingMember member : ringside.members()) {
            if (member.nid() == nid) {
                return member.address().equals(address);
            }
        }
        return false;
    }

    private synchronized long nextPauseNanos() {
        chance = Allowance.mixed(chance);
        return Allowance.spread(PAUSES.nanos(++looks), chance);
    }

    private void look() {
        lost.removeIf(each -> !isMember(each.nid, each.address));
        if (lost.isEmpty()) {
            loop.stop();
            // A thread that has added a super-peer meanwhile may have seen the loop running.
            if (!lost.isEmpty()) {
                loop.beginAfter(PAUSES.firstNanos());
            }
            return;
        }
        ringside.fetch();
        for (Lost each : lost) {
            var _ = ringside.reach(each.nid, each.address).thenRun(() -> lost.remove(each));
        }
    }
}
