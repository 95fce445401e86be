package dev.granary.operator.reconcile;

import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.control.ClusterControl.ControlException;
import dev.granary.operator.plan.Names;
import dev.granary.operator.status.Happening;
import dev.granary.operator.steer.Action;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the decided actions. An action that fails is reported and tried again with the next reconcile. */
final class Actuator {
    private static final Logger LOG = LoggerFactory.getLogger(Actuator.class);
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubernetesClient client;
    private final ClusterControl control;
    private final InstantSource clock;

    /**
     * The result of some actions.
     *
     * @param happenings what happened, for the events
     * @param troubles why an action was refused or failed, by pod
     */
    record Result(List<Happening> happenings, Map<String, String> troubles) {}

    Actuator(KubernetesClient client, ClusterControl control, InstantSource clock) {
        this.client = client;
        this.control = control;
        this.clock = clock;
    }

    /**
     * Carries out actions, and returns what happened. Leaves out an action for a pod that has gone since the decision;
     * the next look sees what there is instead.
     *
     * @param cluster where its super-peers are
     */
    Result run(String namespace, ClusterControl.Target cluster, List<Action> actions) {
        List<Happening> happenings = new ArrayList<>();
        Map<String, String> troubles = new TreeMap<>();
        for (Action action : actions) {
            try {
                run(namespace, cluster, action, happenings);
            } catch (ControlException e) {
                LOG.atInfo()
                        .addKeyValue("namespace", namespace)
                        .addKeyValue("action", action)
                        .log("an action failed: {}", e.getMessage());
                troubles.put(podOf(action), String.valueOf(e.getMessage()));
            } catch (KubernetesClientException e) {
                if (!ApiErrors.isGone(e)) {
                    throw e;
                }
                LOG.atInfo()
                        .addKeyValue("namespace", namespace)
                        .addKeyValue("action", action)
                        .log("the pod is not the one of the decision any more: {}", e.getMessage());
            }
        }
        return new Result(happenings, troubles);
    }

    private static String podOf(Action action) {
        return switch (action) {
            case Action.StartDrain drain -> drain.pod();
            case Action.AbortDrain abort -> abort.pod();
            case Action.ReplacePod replace -> replace.pod();
            case Action.GrowMemory grow -> grow.pod();
            case Action.Guard guard -> guard.pod();
            case Action.ResizeRing resize -> "";
        };
    }

    private void run(String namespace, ClusterControl.Target cluster, Action action, List<Happening> happenings) {
        switch (action) {
            case Action.StartDrain drain -> {
                control.startDrain(cluster, drain.nid());
                happenings.add(new Happening(
                        false, "DrainStarted", "everything leaves " + drain.pod() + " for the other storage peers"));
            }
            case Action.AbortDrain abort -> {
                control.abortDrain(cluster, abort.nid());
                happenings.add(new Happening(false, "DrainEnded", abort.pod() + " takes chunks again"));
            }
            case Action.ResizeRing resize -> {
                control.resizeRing(cluster, resize.size());
                happenings.add(
                        new Happening(false, "RingResized", "the ring is to have " + resize.size() + " super-peers"));
            }
            case Action.ReplacePod replace -> {
                if (delete(namespace, replace)) {
                    happenings.add(new Happening(
                            false, "PodReplaced", replace.pod() + " is replaced by one with the present template"));
                }
            }
            case Action.GrowMemory grow -> happenings.add(grow(namespace, grow));
            case Action.Guard guard -> {
                if (label(namespace, guard)) {
                    happenings.add(new Happening(
                            false,
                            guard.guarded() ? "PodGuarded" : "PodReleased",
                            guard.pod()
                                    + (guard.guarded() ? " may not be evicted" : " may be evicted: it owns nothing")));
                }
            }
        }
    }

    /** Deletes the pod of the decision, and no other pod with its name. Returns whether it did. */
    private boolean delete(String namespace, Action.ReplacePod replace) {
        try {
            Pod pod =
                    client.pods().inNamespace(namespace).withName(replace.pod()).get();
            if (pod == null || !replace.uid().equals(pod.getMetadata().getUid())) {
                return false;
            }
            client.resource(pod)
                    .lockResourceVersion(pod.getMetadata().getResourceVersion())
                    .delete();
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == CONFLICT) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Asks for more memory for a running pod. If the API server does not support that, notes the refusal, and the pod
     * is replaced later.
     */
    private Happening grow(String namespace, Action.GrowMemory grow) {
        annotate(
                namespace,
                grow,
                Map.of(
                        Names.MEMORY_ANNOTATION,
                        grow.memory(),
                        Names.MEMORY_SINCE_ANNOTATION,
                        clock.instant().truncatedTo(ChronoUnit.SECONDS).toString()));
        Map<String, String> memory = Map.of("memory", grow.memory());
        Map<String, Object> container =
                Map.of("name", Names.STORAGE, "resources", Map.of("requests", memory, "limits", memory));
        try {
            client.pods()
                    .inNamespace(namespace)
                    .withName(grow.pod())
                    .subresource("resize")
                    .patch(
                            PatchContext.of(PatchType.STRATEGIC_MERGE),
                            Serialization.asJson(Map.of(
                                    "metadata",
                                    Map.of("uid", grow.uid()),
                                    "spec",
                                    Map.of("containers", List.of(container)))));
        } catch (KubernetesClientException e) {
            // An older Kubernetes has no such subresource.
            if (!ApiErrors.isRefusal(e) && e.getCode() != NOT_FOUND) {
                throw e;
            }
            annotate(namespace, grow, Map.of(Names.MEMORY_REFUSED_ANNOTATION, grow.memory()));
            return new Happening(
                    false,
                    "MemoryNotGrown",
                    grow.pod() + " cannot have " + grow.memory() + " while it runs, so it is replaced: "
                            + e.getMessage());
        }
        return new Happening(
                false, "MemoryGrows", "the memory of " + grow.pod() + " grows to " + grow.memory() + " while it runs");
    }

    private void annotate(String namespace, Action.GrowMemory grow, Map<String, String> annotations) {
        client.pods()
                .inNamespace(namespace)
                .withName(grow.pod())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        Serialization.asJson(
                                Map.of("metadata", Map.of("uid", grow.uid(), "annotations", annotations))));
    }

    /** Writes or removes the label of the pod of the decision. Returns false when there is no such pod any more. */
    private boolean label(String namespace, Action.Guard guard) {
        String value = guard.guarded() ? "\"true\"" : "null";
        return client.pods()
                        .inNamespace(namespace)
                        .withName(guard.pod())
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"metadata\":{\"uid\":\"" + guard.uid() + "\",\"labels\":{\"" + Names.GUARD_LABEL
                                        + "\":" + value + "}}}")
                != null;
    }
}
