package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that take no pods any more: somebody is about to drain them. Watches only these,
 * so it is small however large the cluster is. Thread-safe.
 */
public final class CordonedNodes implements AutoCloseable {
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final @Nullable SharedIndexInformer<Node> informer;
    private volatile Runnable onChange = () -> {};

    private CordonedNodes(@Nullable KubernetesClient client) {
        informer = client == null
                ? null
                : client.nodes().withField("spec.unschedulable", "true").inform(new Changes());
    }

    /** Watches them; the client must have the right to. */
    public static CordonedNodes watch(KubernetesClient client) {
        return new CordonedNodes(client);
    }

    /** Knows of none: for an operator that has no rights outside its namespaces. */
    public static CordonedNodes none() {
        return new CordonedNodes(null);
    }

    /** Their names now. */
    Set<String> names() {
        return Set.copyOf(names);
    }

    /** Says what is called when a node was cordoned or is so no more. */
    void whenChanged(Runnable listener) {
        onChange = listener;
    }

    @Override
    public void close() {
        if (informer != null) {
            informer.close();
        }
    }

    private final class Changes implements ResourceEventHandler<Node> {
        @Override
        public void onAdd(Node node) {
            names.add(node.getMetadata().getName());
            onChange.run();
        }

        @Override
        public void onUpdate(Node before, Node after) {
            names.add(after.getMetadata().getName());
        }

        @Override
        public void onDelete(Node node, boolean unknown) {
            names.remove(node.getMetadata().getName());
            onChange.run();
        }
    }
}
