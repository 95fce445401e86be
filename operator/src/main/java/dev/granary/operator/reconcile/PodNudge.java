package dev.granary.operator.reconcile;

import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes an annotation to pods whose Secret has changed. The kubelet works through a changed pod at once, and brings
 * its Secrets up to date; by itself it does so after a minute or more. So nothing is lost when it fails.
 */
final class PodNudge {
    private static final Logger LOG = LoggerFactory.getLogger(PodNudge.class);

    private final KubernetesClient client;

    PodNudge(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Tells the running pods of a role.
     *
     * @param mark stands for the content of the Secret
     */
    void tell(String namespace, PodsView pods, String mark) {
        for (PodView pod : pods.pods()) {
            if (!pod.terminating() && pod.running()) {
                annotate(namespace, pod.name(), pod.uid(), Names.CERTIFICATES_ANNOTATION, mark);
            }
        }
    }

    /** Tells the running pods of a role that their users have changed. */
    void tellOfUsers(String namespace, String cluster, String component, String mark) {
        try {
            for (Pod pod : client.pods()
                    .inNamespace(namespace)
                    .withLabels(Names.selector(cluster, component))
                    .list()
                    .getItems()) {
                if (pod.getMetadata().getDeletionTimestamp() == null
                        && pod.getStatus() != null
                        && "Running".equals(pod.getStatus().getPhase())) {
                    annotate(
                            namespace,
                            pod.getMetadata().getName(),
                            pod.getMetadata().getUid(),
                            Names.USERS_ANNOTATION,
                            mark);
                }
            }
        } catch (KubernetesClientException e) {
            LOG.atDebug()
                    .addKeyValue("namespace", namespace)
                    .addKeyValue("name", cluster)
                    .setCause(e)
                    .log("pods are not told that users have changed");
        }
    }

    private void annotate(String namespace, String pod, String uid, String annotation, String mark) {
        Map<String, Object> metadata = Map.of("uid", uid, "annotations", Map.of(annotation, mark));
        try {
            client.pods()
                    .inNamespace(namespace)
                    .withName(pod)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(Map.of("metadata", metadata)));
        } catch (KubernetesClientException e) {
            LOG.atDebug()
                    .addKeyValue("namespace", namespace)
                    .addKeyValue("pod", pod)
                    .setCause(e)
                    .log("a pod is not told that its Secret has changed");
        }
    }
}
