package dev.granary.superpeer.zone;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Tells recovery candidates which zones they recover, many in one request, and asks how far they are. Not thread-safe.
 */
final class RecoveryOrders {

    private static final int ZONES_PER_CALL = 64;
    private static final int SPANS_PER_ZONE = 1024;

    private final ArcState state;
    private final ArcCaller arcs;
    private final PeerCatalog catalog;
    private final Function<ZoneRecord, RecoveryAttempt> attempts;
    private final BiConsumer<ZoneMember, RunRecoveryReply> progressed;

    /** The recovery candidates that are being asked, each with one request at a time. */
    private final Set<Integer> asking = new HashSet<>();

    /**
     * Makes orders of which none has been sent.
     *
     * @param attempts by zone
     * @param progressed is given what candidates answer
     */
    RecoveryOrders(
            ArcState state,
            ArcCaller arcs,
            PeerCatalog catalog,
            Function<ZoneRecord, RecoveryAttempt> attempts,
            BiConsumer<ZoneMember, RunRecoveryReply> progressed) {
        this.state = state;
        this.arcs = arcs;
        this.catalog = catalog;
        this.attempts = attempts;
        this.progressed = progressed;
    }

    /**
     * Sends a recovery candidate the orders of at most {@value #ZONES_PER_CALL} of its zones, those that have waited
     * longest; of those that were not ordered yet, the largest. Sends nothing while a request to the candidate is under
     * way.
     */
    void send(ZoneMember candidate, List<ZoneRecord> zones, long nowNanos) {
        PeerInfo peer = catalog.find(candidate.nid());
        if (peer == null || !asking.add(candidate.nid())) {
            return;
        }
        List<RunRecovery.Task> orders = new ArrayList<>();
        zones.stream()
                .sorted(Comparator.<ZoneRecord>comparingLong(
                                zone -> attempts.apply(zone).turn())
                        .thenComparingLong(zone -> -attempts.apply(zone).copyBytes()))
                .limit(ZONES_PER_CALL)
                .forEach(zone -> {
                    RecoveryAttempt attempt = attempts.apply(zone);
                    attempt.told(nowNanos);
                    orders.add(orderOf(zone, Objects.requireNonNull(zone.recovery()), attempt));
                });
        RunRecovery request = new RunRecovery(candidate.epoch(), orders);
        arcs.callNode(peer.address(), candidate.nid(), MessageType.RUN_RECOVERY, request, (reply, failure) -> {
            asking.remove(candidate.nid());
            if (reply != null) {
                progressed.accept(candidate, reply);
            }
        });
    }

    private RunRecovery.Task orderOf(ZoneRecord zone, ZoneRecord.Recovery recovery, RecoveryAttempt attempt) {
        List<RunRecovery.Member> members = new ArrayList<>();
        for (ZoneMember member : recovery.kept()) {
            PeerInfo peer = catalog.find(member.nid());
            if (peer != null) {
                RunRecovery.Member told = new RunRecovery.Member(member.nid(), peer.address());
                members.add(member.nid() == recovery.candidateNid() ? 0 : members.size(), told);
            }
        }
        // A candidate that has answered the order has the spans already; it could still ask for them.
        boolean accepted = attempt.isAccepted();
        long firstCid = Cid.firstOf(zone.creatorNid());
        List<CidRange> ranges = accepted ? List.of() : state.rangesOfZone(zone.id(), firstCid, SPANS_PER_ZONE);
        long nextCid = accepted ? firstCid : 0;
        if (ranges.size() == SPANS_PER_ZONE && ranges.getLast().endCidInclusive() != Cid.lastOf(zone.creatorNid())) {
            nextCid = ranges.getLast().endCidInclusive() + 1;
        }
        return new RunRecovery.Task(
                zone.id(),
                zone.recoveryEpoch(),
                recovery.lastSequence(),
                members,
                ranges.stream()
                        .map(range -> new RunRecovery.Span(range.startCid(), range.endCidInclusive()))
                        .toList(),
                nextCid,
                attempt.acceptsDamage() && isKept(recovery, recovery.candidateNid()));
    }

    /** Whether a storage peer has one of the copies from which a zone is recovered. */
    static boolean isKept(ZoneRecord.Recovery recovery, int nid) {
        return recovery.kept().stream().anyMatch(member -> member.nid() == nid);
    }
}
