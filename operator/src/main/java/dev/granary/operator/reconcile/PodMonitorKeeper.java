package dev.granary.operator.reconcile;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.MonitoringSpec;
import dev.granary.operator.build.PodMonitors;
import dev.granary.operator.plan.ClusterPlan;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the PodMonitor of a cluster and removes it. The operator does not watch PodMonitors: their CRD may come and go,
 * and a watch of a kind that does not exist ends the operator. Instead it looks at a PodMonitor every ten minutes, and
 * asks for the CRD at most once a minute. The condition Monitored says whether there is one to remove. Thread-safe.
 */
final class PodMonitorKeeper {
    private static final Duration FRESH = Duration.ofMinutes(1);
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final KubernetesClient client;
    private final Applier applier;
    private final InstantSource clock;
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();
    private volatile @Nullable Known known;

    private record Known(boolean present, Instant at) {}

    /** The PodMonitor of a resource that was applied last. */
    private record Kept(GenericKubernetesResource monitor, Instant at) {}

    PodMonitorKeeper(KubernetesClient client, Applier applier, InstantSource clock) {
        this.client = client;
        this.applier = applier;
        this.clock = clock;
    }

    /** Whether the CRD of the Prometheus operator exists. Asks the API server at most once a minute. */
    boolean isPossible() {
        Instant now = clock.instant();
        Known last = known;
        if (last == null || last.at().plus(FRESH).isBefore(now)) {
            last = new Known(client.supports(PodMonitors.API_VERSION, PodMonitors.KIND), now);
            known = last;
        }
        return last.present();
    }

    /**
     * Makes or removes the PodMonitor as the plan says.
     *
     * @param had whether the resource had a PodMonitor or wanted one, according to its status
     * @return whether the CRD exists; {@code null} when no PodMonitor is wanted
     */
    @Nullable
    Boolean keep(ClusterPlan plan, boolean had) {
        MonitoringSpec spec = plan.access().podMonitor();
        if (spec == null) {
            if (had && isPossible()) {
                remove(plan);
            }
            kept.remove(plan.uid());
            return null;
        }
        if (!isPossible()) {
            return false;
        }
        GenericKubernetesResource monitor = PodMonitors.of(plan, spec);
        if (!isKept(plan, monitor)) {
            applier.apply(monitor, client.resource(monitor).get());
            Instant now = clock.instant();
            // Forgets the resources that have ended.
            kept.values().removeIf(old -> old.at().plus(KEPT.multipliedBy(2)).isBefore(now));
            kept.put(plan.uid(), new Kept(monitor, now));
        }
        return true;
    }

    private boolean isKept(ClusterPlan plan, GenericKubernetesResource monitor) {
        Kept last = kept.get(plan.uid());
        return last != null
                && last.monitor().equals(monitor)
                && last.at().plus(KEPT).isAfter(clock.instant());
    }

    private void remove(ClusterPlan plan) {
        GenericKubernetesResource found = client.genericKubernetesResources(PodMonitors.API_VERSION, PodMonitors.KIND)
                .inNamespace(plan.namespace())
                .withName(PodMonitors.name(plan.name()))
                .get();
        if (found != null && Applier.isOwnedBy(found, plan.uid())) {
            client.resource(found).delete();
        }
    }

    /** Whether there is nothing to make, to remove or to look at now. */
    boolean rests(ClusterPlan plan, @Nullable GranaryStatus status) {
        MonitoringSpec spec = plan.access().podMonitor();
        if (spec == null) {
            return !had(status);
        }
        return !isPossible() || isKept(plan, PodMonitors.of(plan, spec));
    }

    /** Returns whether the CRD exists; {@code null} when no PodMonitor is wanted. */
    @Nullable
    Boolean answer(ClusterPlan plan) {
        return plan.access().podMonitor() == null ? null : (Boolean) isPossible();
    }

    /** Whether a status says that a PodMonitor was wanted. */
    static boolean had(@Nullable GranaryStatus status) {
        return status != null
                && status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Monitored"));
    }
}
