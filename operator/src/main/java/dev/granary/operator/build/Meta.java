package dev.granary.operator.build;

import dev.granary.operator.api.Granary;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.Map;

/** Metadata that all objects of a cluster share. The resource owns the objects, so they are deleted with it. */
final class Meta {
    private Meta() {}

    static ObjectMeta of(ClusterPlan plan, String name, Map<String, String> labels) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(plan.namespace())
                .withLabels(labels)
                .withOwnerReferences(owner(plan))
                .build();
    }

    static ObjectMeta ofRole(ClusterPlan plan, String component) {
        return of(plan, Names.role(plan.name(), component), Names.labels(plan.name(), component));
    }

    private static OwnerReference owner(ClusterPlan plan) {
        return new OwnerReferenceBuilder()
                .withApiVersion(Granary.GROUP + "/" + Granary.VERSION)
                .withKind("Granary")
                .withName(plan.name())
                .withUid(plan.uid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .build();
    }
}
