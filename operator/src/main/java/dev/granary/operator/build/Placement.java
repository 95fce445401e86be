package dev.granary.operator.build;

import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodAffinityTermBuilder;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PodAntiAffinityBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The placement of a role's pods: what the resource says, and by default what keeps copies on different machines.
 */
final class Placement {
    private static final String HOST = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";

    private Placement() {}

    static Map<String, String> nodeSelector(PodOverridesSpec pods, ClusterPlan.@Nullable Rdma rdma) {
        Map<String, String> labels = new TreeMap<>();
        if (pods.nodeSelector() != null) {
            labels.putAll(pods.nodeSelector());
        }
        if (rdma != null) {
            labels.putAll(rdma.nodeSelector());
        }
        return labels;
    }

    static Affinity affinity(ClusterPlan plan, String component, PodOverridesSpec pods) {
        AffinityBuilder affinity =
                pods.affinity() == null ? new AffinityBuilder() : new AffinityBuilder(pods.affinity());
        if (!affinity.hasPodAntiAffinity()) {
            affinity.withPodAntiAffinity(apart(plan, component, pods));
        }
        return affinity.build();
    }

    private static PodAntiAffinity apart(ClusterPlan plan, String component, PodOverridesSpec pods) {
        PodAffinityTerm term = new PodAffinityTermBuilder()
                .withTopologyKey(HOST)
                .withLabelSelector(selector(plan, component))
                .build();
        return PodOverridesSpec.REQUIRED.equals(pods.antiAffinity())
                ? new PodAntiAffinityBuilder()
                        .withRequiredDuringSchedulingIgnoredDuringExecution(term)
                        .build()
                : new PodAntiAffinityBuilder()
                        .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                        .withWeight(100)
                        .withPodAffinityTerm(term)
                        .endPreferredDuringSchedulingIgnoredDuringExecution()
                        .build();
    }

    static List<TopologySpreadConstraint> spread(ClusterPlan plan, String component, PodOverridesSpec pods) {
        LabelSelector role = selector(plan, component);
        if (pods.topologySpreadConstraints() == null) {
            return List.of(spread(HOST, role), spread(ZONE, role));
        }
        return pods.topologySpreadConstraints().stream()
                .map(constraint -> constraint.getLabelSelector() != null
                        ? constraint
                        : new TopologySpreadConstraintBuilder(constraint)
                                .withLabelSelector(role)
                                .build())
                .toList();
    }

    private static TopologySpreadConstraint spread(String key, LabelSelector role) {
        return new TopologySpreadConstraintBuilder()
                .withMaxSkew(1)
                .withTopologyKey(key)
                .withWhenUnsatisfiable("ScheduleAnyway")
                .withLabelSelector(role)
                .build();
    }

    private static LabelSelector selector(ClusterPlan plan, String component) {
        return new LabelSelectorBuilder()
                .withMatchLabels(Names.selector(plan.name(), component))
                .build();
    }
}
