package dev.granary.operator.reconcile;

import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.Names;
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
            if (pod.terminating() || !pod.running()) {
                continue;
            }
            Map<String, Object> metadata =
                    Map.of("uid", pod.uid(), "annotations", Map.of(Names.CERTIFICATES_ANNOTATION, mark));
            try {
                client.pods()
                        .inNamespace(namespace)
                        .withName(pod.name())
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                Serialization.asJson(Map.of("metadata", metadata)));
            } catch (KubernetesClientException e) {
                LOG.atDebug()
                        .addKeyValue("pod", pod.name())
                        .setCause(e)
                        .log("a pod is not told that its certificate has changed");
            }
        }
    }
}
