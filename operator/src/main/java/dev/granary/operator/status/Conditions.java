package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.HibernationStatus;
import dev.granary.operator.api.GranaryStatus.TlsStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.steer.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a cluster, by the conventions of the Kubernetes API. Positive ones (Ready) are True when all is
 * well; Degraded, MemoryPressure and DiskPressure are True when something is wrong.
 */
final class Conditions {
    static final String READY = "Ready";
    static final String PROGRESSING = "Progressing";
    static final String DEGRADED = "Degraded";
    static final String MEMORY_PRESSURE = "MemoryPressure";
    static final String HEADROOM = "Headroom";
    static final String DISK_PRESSURE = "DiskPressure";
    static final String PAUSED = "Paused";
    static final String BALANCED = "Balanced";
    static final String GROWING_VOLUMES = "GrowingVolumes";
    static final String UPDATE_PAUSED = "UpdatePaused";
    static final String STOP_BLOCKED = "StopBlocked";
    private static final String ARCS_UNANSWERED = "ArcsUnanswered";

    /** The largest difference between the fills of the fullest and the emptiest storage peer of a balanced cluster. */
    private static final double UNEVEN = 0.25;

    private final ClusterPlan plan;
    private final Observation seen;
    private final @Nullable GranaryStatus previous;

    Conditions(ClusterPlan plan, Observation seen, @Nullable GranaryStatus previous) {
        this.plan = plan;
        this.seen = seen;
        this.previous = previous;
    }

    List<Verdict> all() {
        HibernationStatus hibernation = seen.hibernation();
        if (hibernation != null) {
            return asleep(hibernation);
        }
        List<Verdict> all = new ArrayList<>(
                List.of(ready(), progressing(), degraded(), balanced(), replicated(), memoryPressure()));
        if (MemoryConditions.concernsHeadroom(plan)) {
            all.add(headroom());
        }
        all.add(diskPressure());
        ClusterPlan.Rdma rdma = plan.rdma();
        if (rdma != null) {
            all.add(rdmaReady(rdma));
        }
        if (seen.podMonitor() != null) {
            all.add(monitored(seen.podMonitor()));
        }
        if (seen.tls() != null) {
            all.add(certificatesValid(seen.tls()));
        }
        if (plan.offeredImage() != null) {
            all.add(Verdict.yes(
                    "UpdateAvailable",
                    "OperatorHasAnotherImage",
                    "the cluster runs " + plan.image() + ", and the operator would give a new one "
                            + plan.offeredImage() + ". Set spec.image to it for a rolling update"));
        }
        if (seen.volumes() != null) {
            all.add(Volumes.grown(seen.volumes()));
        }
        all.addAll(Kstatus.of(all));
        return all;
    }

    /**
     * Returns the conditions during a hibernation. Such a cluster is neither ready nor degraded, and all other
     * conditions are unknown.
     */
    private List<Verdict> asleep(HibernationStatus now) {
        boolean rests = now.phase().equals("Asleep");
        String text = now.phase() + ": " + now.message();
        List<Verdict> all = new ArrayList<>();
        all.add(Verdict.no(READY, rests ? "Asleep" : "Hibernating", text));
        all.add(
                rests
                        ? Verdict.no(PROGRESSING, "Asleep", "set spec.hibernate to false to wake it")
                        : Verdict.yes(PROGRESSING, "Hibernating", text));
        all.add(Verdict.no(DEGRADED, "Hibernating", text));
        List<String> others = new ArrayList<>(List.of(BALANCED, "Replicated", MEMORY_PRESSURE));
        if (MemoryConditions.concernsHeadroom(plan)) {
            others.add(HEADROOM);
        }
        others.add(DISK_PRESSURE);
        others.forEach(type -> all.add(new Verdict(type, "Unknown", "Hibernating", text)));
        all.addAll(Kstatus.of(all));
        return all;
    }

    private Verdict ready() {
        if (!(seen.cluster() instanceof Answer.Seen(ClusterView view))) {
            String reason = plan.bootstrap() ? "WaitingForSuperPeers" : "SuperPeersUnreachable";
            return Verdict.no(READY, reason, unreachable());
        }
        // A ring that grows or shrinks serves without interruption.
        boolean wasReady = previous != null && StatusBuilder.isTrue(previous, READY);
        if (!view.ring().complete() && !(wasReady && view.ring().isServed())) {
            return Verdict.no(READY, "RingIncomplete", ring(view));
        }
        if (!view.ring().unanswered().isEmpty()) {
            return Verdict.no(READY, ARCS_UNANSWERED, unanswered(view));
        }
        int target = plan.storage().replicas();
        long live = view.storagePeers().stream()
                .filter(peer -> peer.live() && ordinal(peer.name()) < target)
                .count();
        // A drained peer is not missing, nor is one that has never joined.
        boolean missed = view.storagePeers().stream()
                .anyMatch(peer -> !peer.live() && !peer.leaving() && ordinal(peer.name()) < target);
        if (live < target && (missed || !wasReady)) {
            return Verdict.no(
                    READY,
                    "StoragePeersMissing",
                    live + " of " + target + " storage peers hold a lease" + troubleSuffix());
        }
        int wanted = plan.superPeers().wantedReplicas();
        return Verdict.yes(
                READY,
                "AllPeersLive",
                "the ring answers for every arc, and storage peers serve all existing chunks"
                        + (isEven(wanted) ? ". " + even(wanted) : ""));
    }

    static boolean isEven(int superPeers) {
        return superPeers % 2 == 0;
    }

    /** Returns what to say of an even number of super-peers. */
    static String even(int superPeers) {
        return superPeers + " super-peers outlive no more losses than " + (superPeers - 1)
                + ": an odd number of spec.superPeers.replicas is better";
    }

    private static int ordinal(String pod) {
        try {
            return Integer.parseInt(pod.substring(pod.lastIndexOf('-') + 1));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private Verdict progressing() {
        Stop blocked = seen.stops().stream()
                .filter(stop -> stop.phase() == Stop.Phase.BLOCKED)
                .findFirst()
                .orElse(null);
        if (blocked != null) {
            return Verdict.no(PROGRESSING, STOP_BLOCKED, blocked.pod() + " cannot go yet: " + blocked.message());
        }
        if (!seen.stops().isEmpty()) {
            return stopping();
        }
        int superPeers =
                Math.max(plan.superPeers().replicas(), plan.superPeers().wantedReplicas());
        if (seen.superPeers().ready() < superPeers) {
            return Verdict.yes(
                    PROGRESSING,
                    "StartingSuperPeers",
                    seen.superPeers().ready() + " of " + superPeers + " super-peers are ready" + troubleSuffix());
        }
        int target = plan.storage().replicas();
        if (seen.storage().ready() < target) {
            return Verdict.yes(
                    PROGRESSING,
                    "StartingStoragePeers",
                    seen.storage().ready() + " of " + target + " storage peers are ready" + troubleSuffix());
        }
        if (seen.cluster() instanceof Answer.Seen(ClusterView view)
                && view.ring().size() != plan.superPeers().wantedReplicas()) {
            return Verdict.yes(
                    PROGRESSING,
                    "ResizingRing",
                    "the ring has " + view.ring().size() + " super-peers and is to have "
                            + plan.superPeers().wantedReplicas());
        }
        return paused();
    }

    private Verdict stopping() {
        Map<Stop.Reason, List<String>> pods = new TreeMap<>();
        seen.stops().forEach(stop -> pods.computeIfAbsent(stop.reason(), _ -> new ArrayList<>())
                .add(stop.pod() + " (" + stop.phase().text() + ": " + stop.message() + ")"));
        String text = pods.entrySet().stream()
                .map(entry -> entry.getKey().text() + ": " + String.join(", ", entry.getValue()))
                .collect(Collectors.joining("; "));
        boolean update = pods.containsKey(Stop.Reason.UPDATE);
        boolean scale = pods.containsKey(Stop.Reason.SCALE_IN);
        return Verdict.yes(PROGRESSING, scale ? "ScalingIn" : update ? "Updating" : "HandingOver", text);
    }

    private Verdict paused() {
        if (seen.superPeers().isTemplateNew() || seen.storage().isTemplateNew()) {
            return Verdict.yes(
                    PROGRESSING,
                    "TemplateChanged",
                    "a StatefulSet was changed just now; which pods are to be replaced is not known yet");
        }
        List<String> outdated = Stream.concat(seen.superPeers().outdated().stream(), seen.storage().outdated().stream())
                .toList();
        if (!outdated.isEmpty() && !plan.update().paused()) {
            return Verdict.yes(
                    PROGRESSING, "Updating", "these pods run an older template: " + String.join(", ", outdated));
        }
        if (!outdated.isEmpty()) {
            return Verdict.no(
                    PROGRESSING,
                    UPDATE_PAUSED,
                    "these pods run an older template and keep it while updateStrategy.paused is true: "
                            + String.join(", ", outdated));
        }
        Verdict secret = SecretPhases.progressing(plan, seen);
        if (secret != null) {
            return secret;
        }
        Verdict grown = seen.volumes() == null ? null : Volumes.grown(seen.volumes());
        if (grown != null && grown.reason().equals(Volumes.EXPANSION_REFUSED)) {
            return Verdict.no(PROGRESSING, "VolumesNotGrown", grown.message());
        }
        if (grown != null && grown.status().equals("False")) {
            return Verdict.yes(PROGRESSING, GROWING_VOLUMES, grown.message());
        }
        return Verdict.no(PROGRESSING, "Stable", "everything that the spec asks for is there");
    }

    private Verdict degraded() {
        boolean back = plan.superPeers().history().isRolledBack()
                || plan.storage().history().isRolledBack();
        if (back) {
            return Verdict.yes(
                    DEGRADED,
                    "UpdateRolledBack",
                    "a pod with the new template could not start, or was not ready within "
                            + plan.update().deadlineSeconds()
                            + " s, so all pods went back to the template that they had. The events of the pods say what was wrong."
                            + " Change what the spec asks for, or give the resource a new value of the annotation "
                            + Names.RETRY_ANNOTATION + " to try the same once more" + troubleSuffix());
        }
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
        if (!view.ring().complete() && !view.ring().isServed()) {
            return Verdict.yes(DEGRADED, "RingIncomplete", ring(view));
        }
        if (!view.ring().unanswered().isEmpty()) {
            return Verdict.yes(DEGRADED, ARCS_UNANSWERED, unanswered(view));
        }
        String expired = view.storagePeers().stream()
                .filter(peer -> !peer.live() && !peer.leaving() && !isSucceeded(peer, view))
                .map(ClusterView.StoragePeer::name)
                .sorted()
                .collect(Collectors.joining(", "));
        if (!expired.isEmpty()) {
            return Verdict.yes(DEGRADED, "StoragePeersWithoutLease", "without a lease: " + expired);
        }
        Verdict copies = new Backups(plan, view).degraded(!seen.stops().isEmpty());
        return copies != null ? copies : Verdict.no(DEGRADED, "AsExpected", "nothing is missing");
    }

    /**
     * Whether nobody misses a storage peer that has no lease: others have taken its chunks and copies over, and its pod
     * has come back as another one, after the loss of its disk, or is not wanted any more.
     */
    private boolean isSucceeded(ClusterView.StoragePeer gone, ClusterView view) {
        return gone.isReplaced()
                && (ordinal(gone.name()) >= plan.storage().replicas()
                        || view.storagePeers().stream()
                                .anyMatch(peer -> peer.live() && peer.name().equals(gone.name())));
    }

    private Verdict balanced() {
        if (!(seen.cluster() instanceof Answer.Seen(ClusterView view))) {
            return new Verdict(BALANCED, "Unknown", "SuperPeersUnreachable", unreachable());
        }
        List<Double> fills = view.storagePeers().stream()
                .filter(peer -> peer.live() && !peer.leaving())
                .map(MemoryConditions::fill)
                .sorted()
                .toList();
        if (fills.isEmpty() || fills.getLast() - fills.getFirst() <= UNEVEN) {
            return Verdict.yes(BALANCED, "Even", "no storage peer is much fuller than another");
        }
        return Verdict.no(
                BALANCED,
                "Uneven",
                "the fullest storage peer uses " + MemoryConditions.percent(fills.getLast())
                        + " of its memory, the emptiest "
                        + MemoryConditions.percent(fills.getFirst())
                        + ". A new peer takes its share by itself; 'granary plan spread' gives another one its share");
    }

    private Verdict replicated() {
        if (!(seen.cluster() instanceof Answer.Seen(ClusterView view))) {
            return new Verdict("Replicated", "Unknown", "SuperPeersUnreachable", unreachable());
        }
        return view.ring().unanswered().isEmpty()
                ? new Backups(plan, view).replicated()
                : new Verdict("Replicated", "Unknown", ARCS_UNANSWERED, unanswered(view));
    }

    private Verdict memoryPressure() {
        return seen.cluster() instanceof Answer.Seen(ClusterView view)
                ? new MemoryConditions(previous).pressure(view)
                : new Verdict(MEMORY_PRESSURE, "Unknown", "SuperPeersUnreachable", unreachable());
    }

    private Verdict headroom() {
        boolean somebodyGoes = seen.stops().stream().anyMatch(stop -> stop.phase() != Stop.Phase.BLOCKED);
        return seen.cluster() instanceof Answer.Seen(ClusterView view)
                ? new MemoryConditions(previous).headroom(view, somebodyGoes)
                : new Verdict(HEADROOM, "Unknown", "SuperPeersUnreachable", unreachable());
    }

    private Verdict diskPressure() {
        return seen.cluster() instanceof Answer.Seen(ClusterView view)
                ? new DiskConditions(plan, previous).pressure(view)
                : new Verdict(DISK_PRESSURE, "Unknown", "SuperPeersUnreachable", unreachable());
    }

    private Verdict rdmaReady(ClusterPlan.Rdma rdma) {
        String device = rdma.count() + " " + rdma.resourceName();
        String labels = rdma.nodeSelector().isEmpty() ? "" : " and the labels " + rdma.nodeSelector();
        if (!rdma.granted()) {
            String known = rdma.available() == null
                    ? "this operator may not look at nodes"
                    : "the nodes" + labels.replace(" and", " with") + " offer " + rdma.available() + " in all";
            return Verdict.no(
                    "RdmaReady",
                    "NoDevices",
                    "each storage peer would ask for " + device + ", but " + known
                            + ". They run without, over TCP, until there are enough for all");
        }
        if (seen.storage().unschedulable()) {
            return Verdict.no(
                    "RdmaReady",
                    "NoNodeForDevice",
                    "each storage peer asks for a node with " + device + labels + ": "
                            + String.join("; ", seen.storage().problems())
                            + ". Install the device plugin, correct rdma.resourceName or rdma.nodeSelector, or let rdma.mode"
                            + " be auto");
        }
        return Verdict.no(
                "RdmaReady",
                "TransportNotInThisVersion",
                "the storage pods ask for " + device
                        + " and IPC_LOCK and have them once they run, but this version's nodes talk TCP only");
    }

    private static Verdict monitored(boolean there) {
        return there
                ? Verdict.yes("Monitored", "PodMonitorApplied", "a PodMonitor tells Prometheus of the pods")
                : Verdict.no(
                        "Monitored",
                        "NoPodMonitorCrd",
                        "this Kubernetes has no PodMonitor: install the CRDs of the Prometheus operator, or set"
                                + " monitoring.podMonitor to false. The pods have the annotations prometheus.io/… as well");
    }

    private static Verdict certificatesValid(TlsStatus tls) {
        String text = tls.message() + "; the first certificate ends at " + tls.certificatesNotAfter();
        return tls.step().equals(TlsStatus.EXPIRES_SOON)
                ? Verdict.no("CertificatesValid", tls.step(), text)
                : Verdict.yes("CertificatesValid", tls.step(), text);
    }

    private String unreachable() {
        String reason = seen.cluster() instanceof Answer.Unreachable(String text) ? text : "";
        return "no super-peer answers: " + reason + troubleSuffix();
    }

    private static String ring(ClusterView view) {
        return view.ring().size() + " of " + view.ring().expectedSize() + " super-peers are on the ring";
    }

    private static String unanswered(ClusterView view) {
        return "nobody answers for the arcs of " + String.join(", ", view.ring().unanswered())
                + ": their storage peers, and what these have, are not known. This ends when super-peers elect"
                + " leaders for them; 'granary ring show' says more if it does not";
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
