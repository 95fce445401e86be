package dev.granary.operator.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Names, labels and ports of a cluster's objects. Users and dashboards rely on them. */
public final class Names {
    /** The field manager that applies the objects. */
    public static final String FIELD_MANAGER = "granary-operator";

    /** Label of every object and pod: the cluster's name. */
    public static final String CLUSTER_LABEL = "granary.dev/cluster";

    /** Label of the role, one of the labels that Kubernetes recommends. */
    public static final String COMPONENT_LABEL = "app.kubernetes.io/component";

    /** Label of every object that this operator made. */
    public static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";

    /** Annotation of the super-peers' StatefulSet: the cluster id, a second record beside the resource's status. */
    public static final String CLUSTER_ID_ANNOTATION = "granary.dev/cluster-id";

    /** Label of a pod that the PodDisruptionBudget protects from eviction; removed once the pod owns nothing. */
    public static final String GUARD_LABEL = "granary.dev/guarded";

    /** Annotation with which a person asks a pod to hand over all its chunks and copies; then it may be evicted. */
    public static final String LEAVE_ANNOTATION = "granary.dev/leave";

    /** Annotation of a StatefulSet: the template as it was rendered, and what it was rendered from. */
    public static final String RENDERED_ANNOTATION = "granary.dev/rendered";

    /** Annotation of a StatefulSet: the last template with which all pods were ready. */
    public static final String GOOD_ANNOTATION = "granary.dev/good";

    /** Annotation of a StatefulSet: the template with which pods did not become ready. */
    public static final String REJECTED_ANNOTATION = "granary.dev/rejected";

    /**
     * Annotation of the resource with which a person asks for one more try of a rejected template; each new value is
     * another try.
     */
    public static final String RETRY_ANNOTATION = "granary.dev/retry";

    /** Annotation of the resource with which a person asks for other certificates; each new value is another wish. */
    public static final String RENEW_CERTIFICATES_ANNOTATION = "granary.dev/renew-certificates";

    /** Annotation of a pod: when the certificate in its Secret was changed; it makes the kubelet look at once. */
    public static final String CERTIFICATES_ANNOTATION = "granary.dev/certificates-changed";

    /** Annotation of a pod: when the Secret with users was changed; it makes the kubelet look at once. */
    public static final String USERS_ANNOTATION = "granary.dev/users-changed";

    /** Annotation of the resource with which a person asks for another CA; each new value is another wish. */
    public static final String RENEW_CA_ANNOTATION = "granary.dev/renew-ca";

    /** Annotation of the resource with which a person asks for another secret; each new value is another wish. */
    public static final String CHANGE_SECRET_ANNOTATION = "granary.dev/change-secret";

    /** Annotation of a StatefulSet: how far a change of the secret is, and which wish was followed. */
    public static final String SECRET_ANNOTATION = "granary.dev/secret";

    /**
     * Annotation of a StatefulSet whose pods are gone because the cluster hibernates: the number of pods after the
     * resumption.
     */
    public static final String ASLEEP_ANNOTATION = "granary.dev/asleep";

    /** Annotation of a pod and its template: a fingerprint of the template without its memory. */
    public static final String FINGERPRINT_ANNOTATION = "granary.dev/template";

    /** Annotation of a pod and its template: the limit up to which its memory can grow while it runs. */
    public static final String MEMORY_MAX_ANNOTATION = "granary.dev/memory-max";

    /** Annotation of a pod: the memory limit that it was given after it was made. */
    public static final String MEMORY_ANNOTATION = "granary.dev/memory";

    /** Annotation of a pod: since when it should have that memory limit. */
    public static final String MEMORY_SINCE_ANNOTATION = "granary.dev/memory-since";

    /** Annotation of a pod: a memory limit that the API server does not let it have while it runs. */
    public static final String MEMORY_REFUSED_ANNOTATION = "granary.dev/memory-refused";

    /** Annotation of a storage pod: the failure zone of its Kubernetes node, or {@code none}. */
    public static final String ZONE_ANNOTATION = "granary.dev/zone";

    /** The volume in which a pod sees that annotation as a file. */
    public static final String ZONE_VOLUME = "zone";

    /** Component of a super-peer. */
    public static final String SUPER_PEER = "super-peer";

    /** Component of a storage peer. */
    public static final String STORAGE = "storage";

    /** Component of the Jobs that make and restore backups. */
    public static final String BACKUP = "backup";

    /** Port of a super-peer's binary protocol, for clients. */
    public static final int SUPER_PEER_PORT = 7400;

    /** HTTP port of a super-peer. */
    public static final int SUPER_PEER_HTTP_PORT = 7401;

    /** Port of a storage peer's binary protocol, for clients. */
    public static final int STORAGE_PORT = 7500;

    /** HTTP port of a storage peer. */
    public static final int STORAGE_HTTP_PORT = 7501;

    /** Port of every pod's binary protocol for requests of other pods, and its name. */
    public static final int INSIDE_PORT = 7600;

    public static final String INSIDE = "inside";

    /** Port of every pod's binary protocol for administrators, and its name. */
    public static final int ADMIN_PORT = 7700;

    public static final String ADMIN = "admin";

    /** Port of a storage peer's door for clients of Redis. */
    public static final int REDIS_PORT = 6379;

    private static final int SEEDS = 3;

    private Names() {}

    /** StatefulSet, headless Service and PodDisruptionBudget of a role. */
    public static String role(String cluster, String component) {
        return cluster + "-" + component;
    }

    /** The names of the claims of a role's volumes; the first group is the ordinal of the pod. */
    public static Pattern claims(String cluster, String component) {
        return Pattern.compile("data-" + Pattern.quote(role(cluster, component)) + "-(\\d{1,5})");
    }

    /** Service through which clients reach the super-peers. */
    public static String clientService(String cluster) {
        return cluster;
    }

    /** Service through which clients of Redis reach the doors of the storage peers. */
    public static String redisService(String cluster) {
        return cluster + "-redis";
    }

    /** The domain in which the pods of the storage peers have names. */
    public static String storageDomain(ClusterPlan plan) {
        return role(plan.name(), STORAGE) + "." + plan.namespace() + ".svc";
    }

    /** ConfigMap of a cluster. */
    public static String configMap(String cluster) {
        return cluster + "-granary";
    }

    /** Secret with the secret of a cluster's administrators; its nodes have it, too, before it is first changed. */
    public static String secret(String cluster) {
        return cluster + "-granary";
    }

    /** Secret with a file of the nodes, which {@link SecretPlan} numbers. */
    public static String nodesSecret(String cluster, int file) {
        return file == 0 ? secret(cluster) : secret(cluster) + "-nodes-" + file;
    }

    /** Secret with the CA of a cluster, when the operator issues its certificates. */
    public static String authority(String cluster) {
        return cluster + "-granary-ca";
    }

    /** Secret with the certificate of a role, when the operator issues it. */
    public static String certificate(String cluster, String role) {
        return cluster + "-granary-tls-" + role;
    }

    /** Secret with the users of a cluster's doors, when they are GranaryUsers. */
    public static String users(String cluster) {
        return cluster + "-granary-users";
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

    /**
     * Returns the addresses at which processes look for a super-peer: the first super-peers, which are the last to be
     * scaled in, and any ready one. Super-peers that all start at new addresses find each other if one of the first
     * comes back (ADR 0130).
     */
    public static List<String> seeds(ClusterPlan plan) {
        String service = role(plan.name(), SUPER_PEER);
        String domain = "." + plan.namespace() + ".svc:" + SUPER_PEER_PORT;
        List<String> seeds = new ArrayList<>();
        for (int ordinal = 0; ordinal < Math.clamp(plan.superPeers().replicas(), 1, SEEDS); ordinal++) {
            seeds.add(service + "-" + ordinal + "." + service + domain);
        }
        seeds.add(clientService(plan.name()) + domain);
        return List.copyOf(seeds);
    }
}
