package dev.granary.superpeer.zone;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Tells the members of zones without an owner to seal their copies. From then on the members take no batch from the
 * former owner, and they answer what their copies hold (ADR 0104). One request seals many zones. Not thread-safe.
 */
final class CopySealer {

    private static final int ZONES_PER_CALL = 1024;

    private final UUID clusterId;
    private final ArcCaller arcs;
    private final PeerCatalog catalog;
    private final Function<ZoneRecord, RecoveryAttempt> attempts;
    private final Listener listener;

    /** The storage peers that are being asked, each with one request at a time. */
    private final Set<Integer> asking = new HashSet<>();

    /** Is given the answers of members. */
    interface Listener {
        /**
         * Called when a member has answered.
         *
         * @param asked by zone, the zone epoch that the request asked to seal for
         */
        void sealed(int nid, Map<Integer, Long> asked, SealedCopies reply);
    }

    /** @param attempts by zone */
    CopySealer(
            UUID clusterId,
            ArcCaller arcs,
            PeerCatalog catalog,
            Function<ZoneRecord, RecoveryAttempt> attempts,
            Listener listener) {
        this.clusterId = clusterId;
        this.arcs = arcs;
        this.catalog = catalog;
        this.attempts = attempts;
        this.listener = listener;
    }

    /**
     * Asks all members whose answers are missing and that were not asked a moment ago.
     *
     * @param recovering the zones that are recovering; members are not asked about zones that have a recovery candidate
     */
    void ask(List<ZoneRecord> recovering, long nowNanos) {
        Map<Integer, List<ZoneRecord>> byMember = new TreeMap<>();
        for (ZoneRecord zone : recovering) {
            if (zone.recovery() == null) {
                RecoveryAttempt attempt = attempts.apply(zone);
                for (int nid : attempt.counting(zone)) {
                    if (attempt.isSealDue(nid, nowNanos)) {
                        byMember.computeIfAbsent(nid, each -> new ArrayList<>()).add(zone);
                    }
                }
            }
        }
        byMember.forEach((nid, zones) -> {
            PeerInfo member = catalog.find(nid);
            if (member != null && asking.add(nid)) {
                List<ZoneRecord> chosen = zones.subList(0, Math.min(zones.size(), ZONES_PER_CALL));
                chosen.forEach(zone -> attempts.apply(zone).sealAsked(nid, nowNanos));
                ask(member, chosen);
            }
        });
    }

    private void ask(PeerInfo member, List<ZoneRecord> zones) {
        Map<Integer, Long> epochs = new TreeMap<>();
        zones.forEach(zone -> epochs.put(zone.id(), zone.recoveryEpoch()));
        SealZones request = new SealZones(
                clusterId,
                zones.stream()
                        .map(zone -> new ZoneEpoch(zone.id(), zone.recoveryEpoch()))
                        .toList());
        arcs.callNode(member.address(), member.nid(), MessageType.SEAL_ZONES, request, (reply, failure) -> {
            asking.remove(member.nid());
            if (reply != null) {
                listener.sealed(member.nid(), epochs, reply);
            }
        });
    }
}
