package dev.granary.superpeer.placement;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who holds the copies of a zone: the peers that come first in an order that a hash of the zone decides, so that what
 * one peer owns is spread over all others, and with it the work when it dies (rendezvous hashing: Thaler and
 * Ravishankar 1998). Peers of other failure zones than those that hold it already go before those of other machines,
 * these before the rest. In the same way slot groups are spread over those that should open them. Pure functions.
 */
final class BackupChoice {

    private BackupChoice() {}

    /**
     * Chooses.
     *
     * @param zone whose copies they are
     * @param count how many more are wanted
     * @param holding the peers that have the zone, its owner among them; they are not chosen
     * @param all the storage peers of the cluster
     * @return at most {@code count} suitable peers with a lease, the best one first
     */
    static List<PeerInfo> choose(int zone, int count, Collection<Integer> holding, Collection<PeerInfo> all) {
        List<PeerInfo> spread = new ArrayList<>();
        List<PeerInfo> free = new ArrayList<>();
        for (PeerInfo peer : all) {
            if (holding.contains(peer.nid())) {
                spread.add(peer);
            } else if (isSuitable(peer)) {
                free.add(peer);
            }
        }
        free.sort(Comparator.comparingLong((PeerInfo peer) -> hash(zone, peer.nid()))
                .thenComparingInt(PeerInfo::nid));
        List<PeerInfo> chosen = new ArrayList<>();
        while (chosen.size() < count && !free.isEmpty()) {
            PeerInfo next = first(free, spread);
            free.remove(next);
            chosen.add(next);
            spread.add(next);
        }
        return chosen;
    }

    private static boolean isSuitable(PeerInfo peer) {
        return peer.live() && !peer.draining() && peer.fencedEpoch() < peer.epoch();
    }

    /** Returns the suitable peer that comes first in the order for a slot group; null when there is none. */
    static @Nullable PeerInfo ownerOf(int groupNid, Collection<PeerInfo> all) {
        return all.stream()
                .filter(BackupChoice::isSuitable)
                .min(Comparator.comparingLong((PeerInfo peer) -> hash(groupNid, peer.nid()))
                        .thenComparingInt(PeerInfo::nid))
                .orElse(null);
    }

    private static PeerInfo first(List<PeerInfo> free, List<PeerInfo> spread) {
        PeerInfo elsewhere = firstApart(free, spread, PeerInfo::failureZone);
        PeerInfo apart = elsewhere == null ? firstApart(free, spread, PeerInfo::machine) : elsewhere;
        return apart == null ? free.getFirst() : apart;
    }

    /**
     * The first that has a label that nobody of the others has, and is on a machine of its own if it can be; null when
     * all are without labels or share them.
     */
    private static @Nullable PeerInfo firstApart(
            List<PeerInfo> free, List<PeerInfo> spread, Function<PeerInfo, String> label) {
        for (PeerInfo peer : free) {
            String own = label.apply(peer);
            if (!own.isEmpty()
                    && spread.stream().noneMatch(other -> label.apply(other).equals(own))) {
                return peer;
            }
        }
        return null;
    }

    /** SplitMix64's last step over both. */
    private static long hash(int zone, int nid) {
        long mixed = (long) zone << Short.SIZE ^ nid;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
