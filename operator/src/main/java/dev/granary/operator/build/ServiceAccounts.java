package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;

/** The identity of a cluster's pods. They never talk to the API server, so no token is mounted. */
public final class ServiceAccounts {
    private ServiceAccounts() {}

    /** Builds the service account. */
    public static ServiceAccount of(ClusterPlan plan) {
        return new ServiceAccountBuilder()
                .withMetadata(Meta.of(plan, Names.serviceAccount(plan.name()), Names.labels(plan.name())))
                .withAutomountServiceAccountToken(false)
                .build();
    }
}
