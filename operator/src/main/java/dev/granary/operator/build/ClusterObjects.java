package dev.granary.operator.build;

import dev.granary.operator.api.NetworkPolicySpec;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;

/** All objects of a cluster, in the order in which they are applied: objects that pods need come before the pods. */
public final class ClusterObjects {
    private ClusterObjects() {}

    /** Builds all objects. */
    public static List<HasMetadata> of(ClusterPlan plan) {
        List<HasMetadata> objects = new ArrayList<>(List.of(
                ServiceAccounts.of(plan),
                Configuration.of(plan),
                Services.superPeers(plan),
                Services.storage(plan),
                Services.client(plan),
                DisruptionBudgets.of(plan, Names.SUPER_PEER),
                DisruptionBudgets.of(plan, Names.STORAGE)));
        NetworkPolicySpec policy = plan.access().networkPolicy();
        if (policy != null) {
            objects.add(NetworkPolicies.of(plan, policy));
        }
        if (plan.redis() != null) {
            objects.add(Services.redis(plan, plan.redis()));
        }
        objects.add(StatefulSets.superPeers(plan));
        objects.add(StatefulSets.storage(plan));
        return List.copyOf(objects);
    }
}
