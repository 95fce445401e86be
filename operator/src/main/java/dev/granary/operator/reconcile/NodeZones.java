package dev.granary.operator.reconcile;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells pods in which failure zone they run, by an annotation that the pod sees as a file. From 1.35 on Kubernetes
 * tells it by a label, which has to be there before the pod has a node; nobody can add one so early. Thread-safe.
 */
public final class NodeZones {
    private static final Logger LOG = LoggerFactory.getLogger(NodeZones.class);
    private static final String ZONE_LABEL = "topology.kubernetes.io/zone";

    /** What a pod reads when its node has no zone, or the zone cannot be known: it need not wait. */
    private static final String NONE = "none";

    private static final int MOST_NODES = 10_000;

    private final @Nullable KubernetesClient nodes;
    private final KubernetesClient client;
    private final Map<String, String> zones = new ConcurrentHashMap<>();

    private NodeZones(KubernetesClient client, @Nullable KubernetesClient nodes) {
        this.client = client;
        this.nodes = nodes;
    }

    /** Looks up the zones of nodes; the client must have the right to list nodes. */
    public static NodeZones of(KubernetesClient client) {
        return new NodeZones(client, client);
    }

    /** Returns an object that tells pods that their zone is not known, for an operator without rights to nodes. */
    public static NodeZones unknown(KubernetesClient client) {
        return new NodeZones(client, null);
    }

    /** Tells those of the pods that have a node, and ask for their zone, and were not told yet. */
    void tell(List<Pod> pods) {
        for (Pod pod : pods) {
            String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
            if (node != null && isToBeTold(pod)) {
                try {
                    annotate(pod, zone(node));
                } catch (KubernetesClientException e) {
                    // The pod waits for some seconds, and starts without a zone.
                    LOG.atWarn()
                            .setCause(e)
                            .addKeyValue("namespace", pod.getMetadata().getNamespace())
                            .addKeyValue("pod", pod.getMetadata().getName())
                            .addKeyValue("kubernetesNode", node)
                            .log("a pod cannot be told its failure zone");
                }
            }
        }
    }

    private static boolean isToBeTold(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        return pod.getMetadata().getDeletionTimestamp() == null
                && (annotations == null || !annotations.containsKey(Names.ZONE_ANNOTATION))
                && pod.getSpec().getVolumes().stream().anyMatch(volume -> Names.ZONE_VOLUME.equals(volume.getName()));
    }

    private String zone(String node) {
        String known = zones.get(node);
        if (known == null) {
            known = nodes == null ? NONE : ask(nodes, node);
            if (zones.size() >= MOST_NODES) {
                zones.clear();
            }
            zones.put(node, known);
        }
        return known;
    }

    private static String ask(KubernetesClient client, String name) {
        try {
            List<Node> found =
                    client.nodes().withField("metadata.name", name).list().getItems();
            Map<String, String> labels =
                    found.isEmpty() ? null : found.getFirst().getMetadata().getLabels();
            return labels == null ? NONE : labels.getOrDefault(ZONE_LABEL, NONE);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                return NONE;
            }
            throw e;
        }
    }

    private void annotate(Pod pod, String zone) {
        client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        Serialization.asJson(Map.of(
                                "metadata",
                                Map.of(
                                        "uid",
                                        pod.getMetadata().getUid(),
                                        "annotations",
                                        Map.of(Names.ZONE_ANNOTATION, zone)))));
    }
}
