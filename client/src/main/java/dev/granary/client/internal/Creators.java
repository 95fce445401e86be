package dev.granary.client.internal;

import dev.granary.client.view.ClusterView;
import dev.granary.env.Clock;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The storage peers on which a client creates chunks when it may choose: in turn those that take chunks and may create
 * for the client's user (ADR 0366). Thread-safe.
 */
final class Creators {

    /** After this time a peer that refused the user is asked again: the user may have got the permission. */
    private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Nothing was created. The first turn is that of the least filled peer. */
    private static final int NO_TURN_YET = -1;

    private final Clock clock;
    private final AtomicInteger turn = new AtomicInteger(NO_TURN_YET);

    /** When peers have refused the user, by NID. */
    private final Map<Integer, Long> refusedNanos = new ConcurrentHashMap<>();

    Creators(Clock clock) {
        this.clock = clock;
    }

    /** Notes that the client's user may not create chunks on a peer. */
    void refused(int nid) {
        refusedNanos.put(nid, clock.nanoTime());
    }

    /** Returns the peers with a lease that may take chunks, the one whose turn it is first. */
    List<Integer> inTurn(ClusterView view) {
        List<PeerInfo> takers = permitted(takers(view));
        List<Integer> live = takers.stream().map(PeerInfo::nid).toList();
        turn.compareAndSet(NO_TURN_YET, leastFilled(takers));
        int first = Math.floorMod(turn.getAndIncrement(), live.size());
        List<Integer> ordered = new ArrayList<>(live.subList(first, live.size()));
        ordered.addAll(live.subList(0, first));
        return ordered;
    }

    /** Returns whether a peer with a lease is not leaving. */
    static boolean someStay(ClusterView view) {
        return view.livePeers().stream().anyMatch(Creators::stays);
    }

    private static boolean stays(PeerInfo peer) {
        return peer.drain() == PeerInfo.Drain.NONE;
    }

    /** If none takes chunks, returns all peers with a lease, which then refuse the chunks themselves. */
    private static List<PeerInfo> takers(ClusterView view) {
        List<PeerInfo> takers =
                view.livePeers().stream().filter(Creators::stays).toList();
        return takers.isEmpty() ? view.livePeers() : takers;
    }

    /** Leaves out peers that have refused the user. If all have, returns all: one of them says why. */
    private List<PeerInfo> permitted(List<PeerInfo> takers) {
        if (refusedNanos.isEmpty()) {
            return takers;
        }
        long now = clock.nanoTime();
        refusedNanos.values().removeIf(refused -> now - refused >= REFUSED_NANOS);
        List<PeerInfo> permitted = takers.stream()
                .filter(peer -> !refusedNanos.containsKey(peer.nid()))
                .toList();
        return permitted.isEmpty() ? takers : permitted;
    }

    private static int leastFilled(List<PeerInfo> live) {
        int best = 0;
        for (int i = 1; i < live.size(); i++) {
            if (fill(live.get(i)) < fill(live.get(best))) {
                best = i;
            }
        }
        return best;
    }

    private static double fill(PeerInfo peer) {
        return (double) peer.statistics().usedBytes()
                / Math.max(1, peer.statistics().capacityBytes());
    }
}
