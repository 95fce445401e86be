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

    /**
     * The resource that owns objects.
     *
     * @param namespace of the resource and the objects
     */
    record Owner(String namespace, String name, String uid) {}

    static ObjectMeta of(ClusterPlan plan, String name, Map<String, String> labels) {
        return of(new Owner(plan.namespace(), plan.name(), plan.uid()), name, labels);
    }

    static ObjectMeta of(Owner owner, String name, Map<String, String> labels) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(owner.namespace())
                .withLabels(labels)
                .withOwnerReferences(reference(owner))
                .build();
    }

    static ObjectMeta ofRole(ClusterPlan plan, String component) {
        return of(plan, Names.role(plan.name(), component), Names.labels(plan.name(), component));
    }

    private static OwnerReference reference(Owner owner) {
        return new OwnerReferenceBuilder()
                .withApiVersion(Granary.GROUP + "/" + Granary.VERSION)
                .withKind("Granary")
                .withName(owner.name())
                .withUid(owner.uid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .build();
    }
}
