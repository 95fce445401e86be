package dev.granary.operator.reconcile;

import dev.granary.operator.api.Granary;
import dev.granary.operator.build.NetworkPolicies;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects of a cluster as the watches last showed them. */
final class Watched {
    private static final String OURS = Names.MANAGED_BY_LABEL + "=" + Names.FIELD_MANAGER;

    private Watched() {}

    /** Returns the watches for a controller. */
    static List<EventSource<?, Granary>> sources(EventSourceContext<Granary> context) {
        return List.of(
                owned(context, StatefulSet.class),
                owned(context, Service.class),
                owned(context, ConfigMap.class),
                owned(context, ServiceAccount.class),
                owned(context, PodDisruptionBudget.class),
                owned(context, NetworkPolicy.class),
                labelled(context, Pod.class),
                labelled(context, PersistentVolumeClaim.class));
    }

    private static <R extends HasMetadata> InformerEventSource<R, Granary> owned(
            EventSourceContext<Granary> context, Class<R> type) {
        return new InformerEventSource<>(
                InformerEventSourceConfiguration.from(type, Granary.class)
                        .withLabelSelector(OURS)
                        .build(),
                context);
    }

    /** Watches objects that StatefulSets make; they have the cluster in a label. */
    private static <R extends HasMetadata> InformerEventSource<R, Granary> labelled(
            EventSourceContext<Granary> context, Class<R> type) {
        return new InformerEventSource<>(
                InformerEventSourceConfiguration.from(type, Granary.class)
                        .withLabelSelector(OURS)
                        .withSecondaryToPrimaryMapper(Mappers.fromLabel(Names.CLUSTER_LABEL, "", Granary.class))
                        .build(),
                context);
    }

    /** Returns an object, {@code null} when the watch has shown none. */
    static @Nullable HasMetadata object(HasMetadata object, Context<Granary> context) {
        String name = object.getMetadata().getName();
        return context.getSecondaryResourcesAsStream(object.getClass())
                .filter(candidate -> candidate.getMetadata().getName().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** Returns the StatefulSet of a role, if the resource owns it. */
    static @Nullable StatefulSet statefulSet(Granary granary, String component, Context<Granary> context) {
        String name = Names.role(granary.getMetadata().getName(), component);
        return context.getSecondaryResourcesAsStream(StatefulSet.class)
                .filter(set -> set.getMetadata().getName().equals(name))
                .filter(set -> Applier.isOwnedBy(set, granary.getMetadata().getUid()))
                .findFirst()
                .orElse(null);
    }

    /** Returns the pods of a role. */
    static List<Pod> pods(Context<Granary> context, String component) {
        return context.getSecondaryResourcesAsStream(Pod.class)
                .filter(pod -> component.equals(pod.getMetadata().getLabels().get(Names.COMPONENT_LABEL)))
                .toList();
    }

    /** Returns the claims of the volumes of both roles. */
    static List<PersistentVolumeClaim> claims(Context<Granary> context) {
        return context.getSecondaryResourcesAsStream(PersistentVolumeClaim.class)
                .toList();
    }

    /** Returns the existing objects that are not wanted any more: the network policy, the Service for doors. */
    static List<HasMetadata> unwanted(ClusterPlan plan, Context<Granary> context) {
        List<HasMetadata> unwanted = new ArrayList<>();
        if (plan.access().networkPolicy() == null) {
            unwanted.addAll(own(NetworkPolicy.class, NetworkPolicies.name(plan.name()), plan, context));
        }
        if (plan.redis() == null) {
            unwanted.addAll(own(Service.class, Names.redisService(plan.name()), plan, context));
        }
        return unwanted;
    }

    private static <R extends HasMetadata> List<R> own(
            Class<R> type, String name, ClusterPlan plan, Context<Granary> context) {
        return context.getSecondaryResourcesAsStream(type)
                .filter(object -> object.getMetadata().getName().equals(name))
                .filter(object -> Applier.isOwnedBy(object, plan.uid()))
                .toList();
    }
}
