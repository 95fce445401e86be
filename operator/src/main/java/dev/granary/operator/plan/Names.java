package dev.granary.operator.plan;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Names, labels and ports of a cluster's objects. Users and dashboards rely on them. */
public final class Names {
    /** Who applies the objects. */
    public static final String FIELD_MANAGER = "granary-operator";

    /** Label of every object and pod: the cluster's name. */
    public static final String CLUSTER_LABEL = "granary.dev/cluster";

    /** Label of the role, as the recommended labels have it. */
    public static final String COMPONENT_LABEL = "app.kubernetes.io/component";

    /** Label of everything that this operator made. */
    public static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";

    /** Annotation of the super-peers' StatefulSet: the cluster id, a second record beside the resource's status. */
    public static final String CLUSTER_ID_ANNOTATION = "granary.dev/cluster-id";

    /** Annotation of a pod template: changes when a pod must restart to take its configuration. */
    public static final String CONFIG_HASH_ANNOTATION = "granary.dev/config-hash";

    /** Component of a super-peer. */
    public static final String SUPER_PEER = "super-peer";

    /** Component of a storage peer. */
    public static final String STORAGE = "storage";

    /** Ports of a super-peer: the binary protocol, HTTP. */
    public static final int SUPER_PEER_PORT = 7400;

    /** HTTP port of a super-peer. */
    public static final int SUPER_PEER_HTTP_PORT = 7401;

    /** Port of a storage peer. */
    public static final int STORAGE_PORT = 7500;

    /** HTTP port of a storage peer. */
    public static final int STORAGE_HTTP_PORT = 7501;

    private Names() {}

    /** StatefulSet, headless Service and PodDisruptionBudget of a role. */
    public static String role(String cluster, String component) {
        return cluster + "-" + component;
    }

    /** Service through which clients reach the super-peers. */
    public static String clientService(String cluster) {
        return cluster;
    }

    /** ConfigMap of a cluster. */
    public static String configMap(String cluster) {
        return cluster + "-granary";
    }

    /** ServiceAccount of a cluster's pods. */
    public static String serviceAccount(String cluster) {
        return cluster + "-granary";
    }

    /** Labels that select the pods of a role; they never change. */
    public static Map<String, String> selector(String cluster, String component) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("app.kubernetes.io/name", "granary");
        labels.put("app.kubernetes.io/instance", cluster);
        labels.put(COMPONENT_LABEL, component);
        return labels;
    }

    /** Labels of an object of a role. */
    public static Map<String, String> labels(String cluster, String component) {
        Map<String, String> labels = selector(cluster, component);
        labels.put(MANAGED_BY_LABEL, FIELD_MANAGER);
        labels.put(CLUSTER_LABEL, cluster);
        return labels;
    }

    /** Labels of an object that belongs to no single role. */
    public static Map<String, String> labels(String cluster) {
        Map<String, String> labels = labels(cluster, "");
        labels.remove(COMPONENT_LABEL);
        return labels;
    }

    /** Addresses of the super-peers in the order of their ordinals, {@code host:port}. */
    public static List<String> seeds(ClusterPlan plan) {
        String service = role(plan.name(), SUPER_PEER);
        return IntStream.range(0, plan.superPeers().replicas())
                .mapToObj(i -> service + "-" + i + "." + service + "." + plan.namespace() + ".svc:" + SUPER_PEER_PORT)
                .toList();
    }
}
