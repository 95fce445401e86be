package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration files of a cluster's processes: one for all storage peers, and one for each super-peer, because
 * only the first may bootstrap. Environment variables carry values that differ by pod (name, address) and values that
 * the resource decides (memory). So every value that needs a restart of the pod is in its template and can be rolled
 * back with it.
 */
public final class Configuration {
    /** The file of the storage peers. */
    static final String STORAGE_FILE = "storage-node.properties";

    /**
     * The most super-peers of a cluster. Each has a file from the start, so that a new pod need not wait until the
     * kubelet has the newest ConfigMap.
     */
    private static final int MOST_SUPER_PEERS = 9;

    private static final String BOOTSTRAP = "ring.bootstrap";

    private Configuration() {}

    /** Builds the ConfigMap. */
    public static ConfigMap of(ClusterPlan plan) {
        Map<String, String> files = new TreeMap<>();
        files.put(STORAGE_FILE, text(storage(plan)));
        for (int ordinal = 0;
                ordinal < Math.max(MOST_SUPER_PEERS, plan.superPeers().replicas());
                ordinal++) {
            files.put(
                    superPeerFile(Names.role(plan.name(), Names.SUPER_PEER) + "-" + ordinal),
                    text(superPeer(plan, ordinal)));
        }
        return new ConfigMapBuilder()
                .withMetadata(Meta.of(plan, Names.configMap(plan.name()), Names.labels(plan.name())))
                .withData(files)
                .build();
    }

    /** The file of the super-peer in a pod. */
    static String superPeerFile(String pod) {
        return pod + ".properties";
    }

    private static Map<String, String> storage(ClusterPlan plan) {
        return common(plan, Names.STORAGE_PORT, Names.STORAGE_HTTP_PORT);
    }

    private static Map<String, String> superPeer(ClusterPlan plan, int ordinal) {
        Map<String, String> keys = common(plan, Names.SUPER_PEER_PORT, Names.SUPER_PEER_HTTP_PORT);
        keys.put("ring.size", Integer.toString(plan.superPeers().wantedReplicas()));
        keys.put(BOOTSTRAP, Boolean.toString(ordinal == 0 && plan.bootstrap()));
        return keys;
    }

    private static Map<String, String> common(ClusterPlan plan, int port, int httpPort) {
        Map<String, String> keys = new TreeMap<>();
        keys.put("cluster.seeds", String.join(",", Names.seeds(plan)));
        keys.put("http.port", Integer.toString(httpPort));
        keys.put("listen.port", Integer.toString(port));
        keys.put("log.format", "json");
        keys.put("node.data.dir", Pods.DATA_DIRECTORY);
        return keys;
    }

    private static String text(Map<String, String> keys) {
        StringBuilder text = new StringBuilder("# Made by the Granary operator; changes here are undone.\n");
        keys.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }
}
