package dev.granary.operator;

import dev.granary.operator.api.Granary;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.OperatorDefaults;
import dev.granary.operator.plan.Planner;
import io.fabric8.kubernetes.client.utils.Serialization;

/** Resources and plans that several tests start from. */
public final class Samples {
    /** Settings of an operator. */
    public static final OperatorDefaults DEFAULTS = new OperatorDefaults("example.org/granary:1", "IfNotPresent");

    private Samples() {}

    /** A resource with the given spec in YAML flow style, for instance {@code {storage: {replicas: 3}}}. */
    public static Granary granary(String name, String spec) {
        return Serialization.unmarshal("""
                apiVersion: granary.dev/v1alpha1
                kind: Granary
                metadata: {name: %s, namespace: shop, uid: 11111111-2222-3333-4444-555555555555, generation: 1}
                spec: %s
                """.formatted(name, spec), Granary.class);
    }

    /** The same resource with another spec. */
    public static Granary granary(Granary old, String spec) {
        Granary changed = granary(old.getMetadata().getName(), spec);
        changed.setMetadata(old.getMetadata());
        return changed;
    }

    /** The plan of a resource when nothing exists yet. */
    public static ClusterPlan plan(String spec) {
        return plan(spec, Existing.NOTHING);
    }

    /** The plan of a resource. */
    public static ClusterPlan plan(String spec, Existing existing) {
        return new Planner(DEFAULTS).plan(granary("social", spec), existing);
    }
}
