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
import org.jspecify.annotations.Nullable;

/**
 * Makes the PodMonitor of a cluster and removes it. The operator does not watch PodMonitors, because their CRD may not
 * exist. The condition Monitored says whether there is one to remove. Thread-safe.
 */
final class PodMonitorKeeper {
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final KubernetesClient client;
    private final Applier applier;
    private final InstantSource clock;
    private volatile @Nullable Known known;

    private record Known(boolean present, Instant at) {}

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
            return null;
        }
        if (!isPossible()) {
            return false;
        }
        GenericKubernetesResource monitor = PodMonitors.of(plan, spec);
        applier.apply(monitor, client.resource(monitor).get());
        return true;
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

    /** Whether there may be a PodMonitor to make or to remove. */
    static boolean concerns(ClusterPlan plan, @Nullable GranaryStatus status) {
        return plan.access().podMonitor() != null || had(status);
    }

    /** Whether a status says that a PodMonitor was wanted. */
    static boolean had(@Nullable GranaryStatus status) {
        return status != null
                && status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Monitored"));
    }
}
