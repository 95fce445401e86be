package dev.granary.superpeer.zone;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the recovery candidates of zones, in one round of decisions. Takes the storage peer with a copy that has the
 * least to do, or one without a copy when none of those can recover the zone, at last one that is being drained. Not
 * thread-safe.
 */
final class RecoveryCandidates {

    private static final double MAX_FILL = 0.95;

    /** What a zone costs beside the bytes of its copy, in bytes that a peer reads in the same time. */
    private static final long ZONE_COST = 1 << 20;

    private final ArcState state;
    private final PeerCatalog catalog;
    private final RoomShortage shortage;

    /** By storage peer, about how many bytes it reads for the zones that it recovers or is chosen to recover. */
    private final Map<Integer, Long> load = new TreeMap<>();

    /**
     * @param shortage learns of zones for which nobody has room
     * @param attempts by zone, of all that recover
     */
    RecoveryCandidates(
            ArcState state,
            PeerCatalog catalog,
            RoomShortage shortage,
            List<ZoneRecord> recovering,
            Function<ZoneRecord, RecoveryAttempt> attempts) {
        this.state = state;
        this.catalog = catalog;
        this.shortage = shortage;
        for (ZoneRecord zone : recovering) {
            ZoneRecord.Recovery recovery = zone.recovery();
            if (recovery != null) {
                load.merge(
                        recovery.candidateNid(),
                        ZONE_COST + attempts.apply(zone).copyBytes(),
                        Long::sum);
            }
        }
    }

    /**
     * Chooses the recovery candidate of a zone. Returns null when there is none, and notes the reason in the attempt.
     *
     * @param kept the storage peers with a copy from which the zone may be recovered
     */
    @Nullable
    PeerInfo choose(RecoveryAttempt attempt, List<Integer> kept, long nowNanos) {
        PeerInfo best = null;
        boolean waits = false;
        for (int nid : kept) {
            PeerInfo peer = catalog.find(nid);
            if (peer == null || !isThere(peer)) {
                waits = true;
            } else if (!attempt.refused().contains(nid) && (best == null || hasLessToDo(peer, best))) {
                best = peer;
            }
        }
        if (best == null && !attempt.refused().isEmpty()) {
            best = withMostRoom(attempt, PeerInfo.Drain.NONE);
        }
        if (best == null && !attempt.refused().isEmpty()) {
            best = withMostRoom(attempt, PeerInfo.Drain.RUNNING);
        }
        if (best != null) {
            load.merge(best.nid(), ZONE_COST + attempt.copyBytes(), Long::sum);
        } else if (attempt.refused().isEmpty() || waits) {
            attempt.nobodyCan("no storage peer with a copy holds a lease", nowNanos);
        } else {
            attempt.nobodyHasRoom(lackOfRoom(attempt.copyBytes()), nowNanos);
            shortage.lacks(attempt.copyBytes());
        }
        return best;
    }

    /** Says how much room a zone needs, and how much the storage peers have. */
    private String lackOfRoom(long neededBytes) {
        long together = 0;
        PeerInfo most = null;
        for (PeerInfo peer : catalog.all()) {
            if (isThere(peer) && peer.drain() == PeerInfo.Drain.NONE) {
                together += Math.max(0, roomOf(peer));
                most = most == null || roomOf(peer) > roomOf(most) ? peer : most;
            }
        }
        String needs = neededBytes == 0 ? "" : "it needs about " + mebibytes(neededBytes) + ", and ";
        return most == null
                ? needs + "there is no other storage peer"
                : needs + "storage peer " + Nid.toHex(most.nid()) + " has the most room, "
                        + mebibytes(Math.max(0, roomOf(most)))
                        + (neededBytes > 0 && together >= neededBytes
                                ? "; all together have " + mebibytes(together) + ", but one must take the whole zone"
                                : "");
    }

    private static String mebibytes(long bytes) {
        return (bytes >> 20) + " MiB";
    }

    /**
     * Returns the storage peer with the most room, whether it has a copy or not. One that is being drained serves the
     * zone until it has handed it over, which waits for room elsewhere; one that was drained may end at any time.
     */
    private @Nullable PeerInfo withMostRoom(RecoveryAttempt attempt, PeerInfo.Drain drain) {
        PeerInfo best = null;
        for (PeerInfo peer : catalog.all()) {
            boolean can = isThere(peer) && peer.drain() == drain && hasRoom(peer);
            if (can && !attempt.refused().contains(peer.nid()) && (best == null || roomOf(peer) > roomOf(best))) {
                best = peer;
            }
        }
        return best;
    }

    /**
     * Whether a storage peer has a lease and this arc would accept it. This arc may have heard of a later incarnation
     * than the peer's own arc has told.
     */
    private boolean isThere(PeerInfo peer) {
        return peer.live() && peer.fencedEpoch() < peer.epoch() && state.presentEpoch(peer.nid()) <= peer.epoch();
    }

    private boolean hasLessToDo(PeerInfo peer, PeerInfo best) {
        if (hasRoom(peer) != hasRoom(best)) {
            return hasRoom(peer);
        }
        return load.getOrDefault(peer.nid(), 0L) < load.getOrDefault(best.nid(), 0L);
    }

    private static long roomOf(PeerInfo peer) {
        return (long) (peer.statistics().capacityBytes() * MAX_FILL)
                - peer.statistics().usedBytes();
    }

    private static boolean hasRoom(PeerInfo peer) {
        return roomOf(peer) > 0;
    }
}
