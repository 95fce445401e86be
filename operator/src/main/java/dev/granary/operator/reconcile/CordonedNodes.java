package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The cordoned Kubernetes nodes, which take no pods because a person is about to drain them. Watches only these, so it
 * stays small in a large Kubernetes cluster. Thread-safe.
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

    /** Watches cordoned nodes; the client must have the right to do so. */
    public static CordonedNodes watch(KubernetesClient client) {
        return new CordonedNodes(client);
    }

    /** Returns an object that knows no cordoned nodes, for an operator without rights outside its namespaces. */
    public static CordonedNodes none() {
        return new CordonedNodes(null);
    }

    /** Returns the names of the nodes that are cordoned now. */
    Set<String> names() {
        return Set.copyOf(names);
    }

    /** Sets what is called when a node was cordoned or uncordoned. */
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
