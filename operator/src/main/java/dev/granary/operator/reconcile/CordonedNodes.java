package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ExceptionHandler;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The Kubernetes nodes that are about to be drained: a person has cordoned them, or an autoscaler has put the taint on
 * them with which it begins to remove a node. Watches all nodes, because no selector finds taints, and keeps little of
 * each. Thread-safe.
 */
public final class CordonedNodes implements AutoCloseable {
    private static final long PAGE = 500;

    /** The taints with which Karpenter (now, and before its version 1) and the Cluster Autoscaler remove a node. */
    private static final Set<String> REMOVAL_TAINTS =
            Set.of("karpenter.sh/disrupted", "karpenter.sh/disruption", "ToBeDeletedByClusterAutoscaler");

    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final @Nullable SharedIndexInformer<Node> informer;
    private volatile Runnable onChange = () -> {};

    private CordonedNodes(@Nullable SharedIndexInformer<Node> informer) {
        this.informer = informer;
    }

    /**
     * Watches nodes; the client must have the right to do so.
     *
     * @param whenStopped called when the watch has ended, with the error that ended it, or {@code null}
     */
    public static CordonedNodes watch(KubernetesClient client, Consumer<@Nullable Throwable> whenStopped) {
        SharedIndexInformer<Node> informer = client.nodes()
                .withLimit(PAGE)
                .runnableInformer(0)
                .itemStore(new Lean())
                // Tries again after every error but that of a node that it cannot read.
                .exceptionHandler((started, error) -> started && !ExceptionHandler.isDeserializationException(error));
        CordonedNodes nodes = new CordonedNodes(informer);
        informer.addEventHandler(nodes.new Changes());
        informer.stopped().whenComplete((_, error) -> whenStopped.accept(error));
        informer.run();
        return nodes;
    }

    /** Returns an object that knows no nodes, for an operator without the right to look at them. */
    public static CordonedNodes none() {
        return new CordonedNodes(null);
    }

    /** Whether a node is about to be drained. */
    static boolean isCordoned(Node node) {
        NodeSpec spec = node.getSpec();
        return spec != null
                && (Boolean.TRUE.equals(spec.getUnschedulable())
                        || (spec.getTaints() != null
                                && spec.getTaints().stream()
                                        .anyMatch(taint -> REMOVAL_TAINTS.contains(taint.getKey()))));
    }

    /** Returns the names of the nodes that are about to be drained. */
    Set<String> names() {
        return Set.copyOf(names);
    }

    /** Whether changes of nodes are seen. An object that knows no nodes misses none. */
    public boolean isWatching() {
        return informer == null || informer.isWatching();
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
            note(node.getMetadata().getName(), isCordoned(node));
        }

        @Override
        public void onUpdate(Node before, Node after) {
            note(after.getMetadata().getName(), isCordoned(after));
        }

        @Override
        public void onDelete(Node node, boolean unknown) {
            note(node.getMetadata().getName(), false);
        }

        private void note(String name, boolean cordoned) {
            boolean changed = cordoned ? names.add(name) : names.remove(name);
            if (changed) {
                onChange.run();
            }
        }
    }

    /** Keeps of a node only what tells whether it is about to be drained. A whole node lists all images that it has. */
    private static final class Lean extends BasicItemStore<Node> {
        Lean() {
            super(Cache::metaNamespaceKeyFunc);
        }

        @Override
        public Node put(String key, Node node) {
            NodeSpec spec = node.getSpec() == null ? new NodeSpec() : node.getSpec();
            return super.put(
                    key,
                    new NodeBuilder()
                            .withNewMetadata()
                            .withName(node.getMetadata().getName())
                            .withUid(node.getMetadata().getUid())
                            .withResourceVersion(node.getMetadata().getResourceVersion())
                            .endMetadata()
                            .withNewSpec()
                            .withUnschedulable(spec.getUnschedulable())
                            .withTaints(spec.getTaints())
                            .endSpec()
                            .build());
        }
    }
}
