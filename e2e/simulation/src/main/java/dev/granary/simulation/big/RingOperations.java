package dev.granary.simulation.big;

import dev.granary.overlay.Arc;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.testkit.Simulation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Promotes and demotes super-peers one at a time: seals the part of the arc, copies it, switches by one commit, and
 * drops it. Then the new neighbours get the arcs that they hold as followers.
 */
final class RingOperations {

    /** The duration of a commit: a round trip to the followers and a sync of their disks. */
    private static final long COMMIT_NANOS = 3_000_000;

    /** The speed at which metadata is copied: a tenth of a network of 10 Gbit/s. */
    private static final double COPY_BYTES_PER_NANO = 0.125;

    private final Simulation simulation;
    private final BigWorld world;
    private final Deque<Integer> outside = new ArrayDeque<>();
    private int nextNumber;
    private boolean busy;
    private int promotions;
    private int demotions;
    private long movedRanges;
    private long longestNanos;

    /**
     * Makes an object with no operation in progress.
     *
     * @param known the number of super-peers that have NIDs already: those with the lowest numbers
     */
    RingOperations(Simulation simulation, BigWorld world, int known) {
        this.simulation = simulation;
        this.world = world;
        this.nextNumber = known;
    }

    boolean isBusy() {
        return busy;
    }

    int promotions() {
        return promotions;
    }

    int demotions() {
        return demotions;
    }

    /** Returns how many ranges came under another super-peer. */
    long movedRanges() {
        return movedRanges;
    }

    /** Returns the duration of the longest operation; its part of the arc was sealed for that long. */
    long longestNanos() {
        return longestNanos;
    }

    /** Promotes a super-peer outside the ring: the one that was demoted last, or a new one. */
    void promote() {
        int nid = outside.isEmpty() ? Nid.superPeerNid(nextNumber++) : outside.pop();
        BigSuperPeer parent = world.superPeer(world.ring().ownerOf(nid));
        RingView next = world.ring().with(nid);
        promotions++;
        move(parent, world.addCandidate(nid), next.arcOf(nid), next);
    }

    /** Demotes the super-peer with the highest number, which was promoted last, so that the arcs stay balanced. */
    void demote() {
        int nid = world.ring().nids().stream()
                .max((a, b) -> Integer.compare(numberOf(a), numberOf(b)))
                .orElseThrow();
        RingView next = world.ring().without(nid);
        demotions++;
        outside.push(nid);
        move(
                world.superPeer(nid),
                world.superPeer(next.ownerOf(nid)),
                world.ring().arcOf(nid),
                next);
    }

    private static int numberOf(int superPeerNid) {
        return Nid.reverse16(superPeerNid & ~1);
    }

    private void move(BigSuperPeer from, BigSuperPeer to, Arc part, RingView next) {
        busy = true;
        long beganNanos = simulation.nowNanos();
        simulation.after(COMMIT_NANOS, "seal", () -> {
            from.seal(part);
            List<CidRange> ranges = world.rangesIn(from.tree(), part);
            long bytes = share(from, ranges.size());
            copy(from, RingView.HOLDERS, bytes);
            simulation.after((long) (bytes / COPY_BYTES_PER_NANO) + COMMIT_NANOS, "copied", () -> {
                ranges.forEach(range -> to.tree().insert(range.startCid(), range.endCidInclusive(), range.placement()));
                simulation.after(COMMIT_NANOS, "switch", () -> {
                    world.setRing(next);
                    ranges.forEach(range -> from.tree().delete(range.startCid(), range.endCidInclusive()));
                    from.unseal();
                    movedRanges += ranges.size();
                    longestNanos = Math.max(longestNanos, simulation.nowNanos() - beganNanos);
                    follow(next.nids().contains(to.nid) ? to : from);
                });
            });
        });
    }

    /** Copies the arcs of the two super-peers before one whose neighbours have changed to their new followers. */
    private void follow(BigSuperPeer changed) {
        long bytes = world.ring().predecessors(changed.nid).stream()
                .mapToLong(nid -> world.superPeer(nid).tree().footprintBytes())
                .sum();
        copy(changed, 1, bytes);
        simulation.after((long) (bytes / COPY_BYTES_PER_NANO) + 2 * COMMIT_NANOS, "followers", () -> busy = false);
    }

    private static void copy(BigSuperPeer from, int copies, long bytes) {
        from.traffic.add(MessageKind.METADATA, copies, copies * bytes);
    }

    /** Returns the bytes that {@code ranges} ranges of a super-peer take. */
    private static long share(BigSuperPeer from, int ranges) {
        long all = from.tree().rangeCount();
        return all == 0 ? 0 : from.tree().footprintBytes() * ranges / all;
    }
}
