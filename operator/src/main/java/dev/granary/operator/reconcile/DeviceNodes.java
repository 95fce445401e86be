package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the devices of a kind on Kubernetes nodes, for resources that leave RDMA to the nodes. Lists nodes by pages
 * and at most twice a minute for all resources, so it costs little with many nodes. Thread-safe.
 */
public final class DeviceNodes {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceNodes.class);
    private static final Duration FRESH = Duration.ofSeconds(30);
    private static final long PAGE = 100;
    private static final int FORBIDDEN = 403;

    private final @Nullable KubernetesClient client;
    private final InstantSource clock;
    private final Map<Question, Counted> answers = new ConcurrentHashMap<>();

    private record Question(String resourceName, Map<String, String> nodeSelector) {}

    private record Counted(@Nullable Long devices, Instant at) {}

    private DeviceNodes(@Nullable KubernetesClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Counts devices; the client must have the right to list nodes. */
    public static DeviceNodes of(KubernetesClient client, InstantSource clock) {
        return new DeviceNodes(client, clock);
    }

    /** Returns an object that knows no nodes, for an operator without rights outside its namespaces. */
    public static DeviceNodes unknown() {
        return new DeviceNodes(null, InstantSource.system());
    }

    /**
     * Counts the devices of all nodes that are ready, take pods and have the labels.
     *
     * @return the number of devices, {@code null} when it cannot be known
     * @throws KubernetesClientException when the API server does not answer
     */
    @Nullable
    Long count(String resourceName, Map<String, String> nodeSelector) {
        if (client == null) {
            return null;
        }
        Question question = new Question(resourceName, Map.copyOf(nodeSelector));
        Instant now = clock.instant();
        Counted known = answers.get(question);
        if (known == null || known.at().plus(FRESH).isBefore(now)) {
            answers.values().removeIf(old -> old.at().plus(FRESH).isBefore(now));
            known = new Counted(ask(client, question), now);
            answers.put(question, known);
        }
        return known.devices();
    }

    private static @Nullable Long ask(KubernetesClient client, Question question) {
        try {
            long devices = 0;
            String next = null;
            do {
                NodeList page = client.nodes()
                        .withLabels(question.nodeSelector())
                        .list(new ListOptionsBuilder()
                                .withLimit(PAGE)
                                .withContinue(next)
                                .build());
                for (Node node : page.getItems()) {
                    devices += devices(node, question.resourceName());
                }
                next = page.getMetadata().getContinue();
            } while (next != null && !next.isEmpty());
            return devices;
        } catch (KubernetesClientException e) {
            if (e.getCode() == FORBIDDEN) {
                LOG.atDebug().setCause(e).log("no right to list nodes");
                return null;
            }
            throw e;
        }
    }

    private static long devices(Node node, String resourceName) {
        boolean ready = node.getStatus() != null
                && node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
        if (CordonedNodes.isCordoned(node) || !ready || node.getStatus().getAllocatable() == null) {
            return 0;
        }
        Quantity devices = node.getStatus().getAllocatable().get(resourceName);
        return devices == null ? 0 : devices.getNumericalAmount().longValue();
    }
}
