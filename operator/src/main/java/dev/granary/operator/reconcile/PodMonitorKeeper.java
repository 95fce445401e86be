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
 * Makes the PodMonitor of a cluster, and takes it away. The operator does not watch PodMonitors: their CRD may not be
 * there. Whether there is one to take away is seen in the condition Monitored. Thread-safe.
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

    /** Whether the Prometheus operator's CRD is there; asked once a minute. */
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
     * Makes what the plan says true.
     *
     * @param had whether the resource had one, or wanted one, by its status
     * @return whether the CRD is there; {@code null} when no PodMonitor is asked for
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

    /** Whether there may be something to keep or to take away. */
    static boolean concerns(ClusterPlan plan, @Nullable GranaryStatus status) {
        return plan.access().podMonitor() != null || had(status);
    }

    /** Whether a status tells of a monitor that was asked for. */
    static boolean had(@Nullable GranaryStatus status) {
        return status != null
                && status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Monitored"));
    }
}
