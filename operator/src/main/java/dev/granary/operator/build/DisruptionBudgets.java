package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;

/**
 * No pod of a cluster may be evicted in this version (ADR 0032): a storage pod takes the only copy of its chunks with it, and a
 * super-peer its leases. A drain therefore waits until a person decides.
 */
public final class DisruptionBudgets {
    private DisruptionBudgets() {}

    /** The budget of a role, {@link Names#SUPER_PEER} or {@link Names#STORAGE}. */
    public static PodDisruptionBudget of(ClusterPlan plan, String component) {
        return new PodDisruptionBudgetBuilder()
                .withMetadata(Meta.ofRole(plan, component))
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(0))
                .withNewSelector()
                .withMatchLabels(Names.selector(plan.name(), component))
                .endSelector()
                .endSpec()
                .build();
    }
}
