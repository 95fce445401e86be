package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Sizes;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration files of a cluster's processes: one for all storage peers, one for each super-peer, because only the first may
 * bootstrap. Values that differ by pod (name, address) come to the process as environment variables.
 */
public final class Configuration {
    /** File of the storage peers. */
    static final String STORAGE_FILE = "storage-node.properties";

    private static final String BOOTSTRAP = "ring.bootstrap";

    private Configuration() {}

    /** Builds the ConfigMap. */
    public static ConfigMap of(ClusterPlan plan) {
        Map<String, String> files = new TreeMap<>();
        files.put(STORAGE_FILE, text(storage(plan)));
        for (int ordinal = 0; ordinal < plan.superPeers().replicas(); ordinal++) {
            files.put(
                    superPeerFile(Names.role(plan.name(), Names.SUPER_PEER) + "-" + ordinal),
                    text(superPeer(plan, ordinal)));
        }
        return new ConfigMapBuilder()
                .withMetadata(Meta.of(plan, Names.configMap(plan.name()), Names.labels(plan.name())))
                .withData(files)
                .build();
    }

    /** File of the super-peer in a pod. */
    static String superPeerFile(String pod) {
        return pod + ".properties";
    }

    /** Changes when a storage peer must restart to take its configuration. */
    static String storageHash(ClusterPlan plan) {
        return hash(storage(plan));
    }

    /** Changes when a super-peer must restart to take its configuration; the end of the bootstrap is no reason. */
    static String superPeerHash(ClusterPlan plan) {
        Map<String, String> keys = superPeer(plan, 0);
        keys.remove(BOOTSTRAP);
        return hash(keys);
    }

    private static Map<String, String> storage(ClusterPlan plan) {
        Map<String, String> keys = common(plan, Names.STORAGE_PORT, Names.STORAGE_HTTP_PORT);
        keys.put("memory.size", Sizes.quantity(plan.storage().memory().chunkBytes()));
        return keys;
    }

    private static Map<String, String> superPeer(ClusterPlan plan, int ordinal) {
        Map<String, String> keys = common(plan, Names.SUPER_PEER_PORT, Names.SUPER_PEER_HTTP_PORT);
        keys.put("ring.size", Integer.toString(plan.superPeers().replicas()));
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

    private static String hash(Map<String, String> keys) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text(keys).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
