package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.util.Map;

/**
 * The budgets that protect guarded pods from eviction: a storage pod may have chunks, and a super-peer the leases of an
 * arc. The operator empties pods on cordoned Kubernetes nodes and then removes their guard (ADR 0113), so that
 * {@code kubectl drain}, which tries again, goes on.
 *
 * <p>A pod that is not ready may be evicted, so that one that never starts does not block its Kubernetes node. Without
 * copies a storage pod may not: it may have the only copy of its chunks in RAM.
 */
public final class DisruptionBudgets {
    private DisruptionBudgets() {}

    /** The budget of a role, {@link Names#SUPER_PEER} or {@link Names#STORAGE}. */
    public static PodDisruptionBudget of(ClusterPlan plan, String component) {
        boolean copies = component.equals(Names.SUPER_PEER) || plan.copies().backups() > 0;
        return new PodDisruptionBudgetBuilder()
                .withMetadata(Meta.ofRole(plan, component))
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(0))
                .withUnhealthyPodEvictionPolicy(copies ? "AlwaysAllow" : "IfHealthyBudget")
                .withNewSelector()
                .withMatchLabels(guarded(plan, component))
                .endSelector()
                .endSpec()
                .build();
    }

    private static Map<String, String> guarded(ClusterPlan plan, String component) {
        Map<String, String> labels = Names.selector(plan.name(), component);
        labels.put(Names.GUARD_LABEL, "true");
        return labels;
    }
}
