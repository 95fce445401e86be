package dev.granary.operator.status;

import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.ClusterPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The conditions of a cluster, by the conventions of the Kubernetes API: positive ones (Ready) are True when all is well, Degraded and
 * RestartRequired are True when something is wrong.
 */
final class Conditions {
    static final String READY = "Ready";
    static final String PROGRESSING = "Progressing";
    static final String DEGRADED = "Degraded";

    private final ClusterPlan plan;
    private final Observation seen;

    Conditions(ClusterPlan plan, Observation seen) {
        this.plan = plan;
        this.seen = seen;
    }

    List<Verdict> all() {
        List<Verdict> all = new ArrayList<>(
                List.of(ready(), progressing(), degraded(), backedUp(), restartRequired(), ringSizeAsWanted()));
        if (plan.rdma() != null) {
            all.add(rdmaReady());
        }
        return all;
    }

    private Verdict ready() {
        if (!(seen.cluster() instanceof Answer.Seen(ClusterView view))) {
            String reason = plan.bootstrap() ? "WaitingForSuperPeers" : "SuperPeersUnreachable";
            return Verdict.no(READY, reason, unreachable());
        }
        if (!view.ring().complete()) {
            return Verdict.no(READY, "RingIncomplete", ring(view));
        }
        int target = plan.storage().replicas();
        int live = view.totals().livePeers();
        if (live < target) {
            return Verdict.no(
                    READY,
                    "StoragePeersMissing",
                    live + " of " + target + " storage peers hold a lease" + troubleSuffix());
        }
        return Verdict.yes(
                READY, "AllPeersLive", "the ring is complete and all " + target + " storage peers hold a lease");
    }

    private Verdict progressing() {
        int target = plan.storage().replicas();
        int wanted = plan.storage().wantedReplicas();
        if (wanted < target) {
            return Verdict.no(
                    PROGRESSING,
                    "ScaleInNotSupported",
                    "spec.storage.replicas is " + wanted + ", but " + target
                            + " storage peers run and may own chunks, which"
                            + " this version cannot move. All " + target
                            + " keep running. Set spec.storage.replicas to "
                            + target + ", or delete the resource and make a smaller one");
        }
        int superPeers = plan.superPeers().replicas();
        if (seen.superPeers().ready() < superPeers) {
            return Verdict.yes(
                    PROGRESSING,
                    "StartingSuperPeers",
                    seen.superPeers().ready() + " of " + superPeers + " super-peers are ready");
        }
        if (seen.storage().ready() < target) {
            return Verdict.yes(
                    PROGRESSING,
                    "StartingStoragePeers",
                    seen.storage().ready() + " of " + target + " storage peers are ready");
        }
        return Verdict.no(PROGRESSING, "Stable", "everything that the spec asks for is there");
    }

    private Verdict degraded() {
        List<String> troubles = troubles();
        if (!troubles.isEmpty()) {
            return Verdict.yes(DEGRADED, "PodsInTrouble", String.join("; ", troubles));
        }
        if (plan.bootstrap()) {
            return Verdict.no(DEGRADED, "NotYetFormed", "the cluster has not formed yet");
        }
        if (!(seen.cluster() instanceof Answer.Seen(ClusterView view))) {
            return Verdict.yes(DEGRADED, "SuperPeersUnreachable", unreachable());
        }
        if (view.clusterId() != null && !view.clusterId().equals(plan.clusterId())) {
            return Verdict.yes(
                    DEGRADED,
                    "ClusterIdMismatch",
                    "the super-peers form cluster " + view.clusterId() + ", but this resource's cluster is "
                            + plan.clusterId() + ". Their volumes belong to another cluster");
        }
        if (!view.ring().complete()) {
            return Verdict.yes(DEGRADED, "RingIncomplete", ring(view));
        }
        String expired = view.storagePeers().stream()
                .filter(peer -> !peer.live())
                .map(ClusterView.StoragePeer::name)
                .sorted()
                .collect(Collectors.joining(", "));
        if (!expired.isEmpty()) {
            return Verdict.yes(DEGRADED, "StoragePeersWithoutLease", "without a lease: " + expired);
        }
        return Verdict.no(DEGRADED, "AsExpected", "nothing is missing");
    }

    private Verdict backedUp() {
        return Verdict.no(
                "BackedUp",
                "InMemoryOnly",
                "every chunk exists once, in RAM: this version has no backups, and a storage peer that restarts has lost its"
                        + " chunks");
    }

    private Verdict restartRequired() {
        List<String> outdated = Stream.concat(seen.superPeers().outdated().stream(), seen.storage().outdated().stream())
                .toList();
        if (outdated.isEmpty()) {
            return Verdict.no("RestartRequired", "UpToDate", "all pods run the newest template");
        }
        return Verdict.yes(
                "RestartRequired",
                "OlderTemplate",
                "these pods run an older template and take the new one when you delete them: "
                        + String.join(", ", outdated) + ". A storage pod that you delete loses its chunks");
    }

    private Verdict ringSizeAsWanted() {
        int size = plan.superPeers().replicas();
        int wanted = plan.superPeers().wantedReplicas();
        if (size == wanted) {
            return Verdict.yes(
                    "RingSizeAsWanted", "AsWanted", "the ring has the " + size + " super-peers that the spec asks for");
        }
        return Verdict.no(
                "RingSizeAsWanted",
                "RingResizeNotSupported",
                "the spec asks for " + wanted + " super-peers, the ring was made with " + size
                        + " and keeps them: this version" + " cannot resize a ring");
    }

    private Verdict rdmaReady() {
        if (seen.storage().unschedulable()) {
            return Verdict.no(
                    "RdmaReady",
                    "NoNodeForDevice",
                    String.join("; ", seen.storage().problems()));
        }
        return Verdict.no(
                "RdmaReady",
                "TransportNotInThisVersion",
                "the storage pods ask for the device and IPC_LOCK, but this version's nodes talk TCP only");
    }

    private String unreachable() {
        String reason = seen.cluster() instanceof Answer.Unreachable(String text) ? text : "";
        return "no super-peer answers: " + reason + troubleSuffix();
    }

    private static String ring(ClusterView view) {
        return view.ring().size() + " of " + view.ring().expectedSize() + " super-peers are on the ring";
    }

    private List<String> troubles() {
        return Stream.concat(seen.superPeers().problems().stream(), seen.storage().problems().stream())
                .toList();
    }

    private String troubleSuffix() {
        List<String> troubles = troubles();
        return troubles.isEmpty() ? "" : " (" + String.join("; ", troubles) + ")";
    }
}
