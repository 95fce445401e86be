package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The cluster of the cases, as its operator asks for things and sees them. */
final class SocialCluster {
    /** The longest time that a cluster may take for what it was asked to do. */
    static final Duration LIMIT = Duration.ofMinutes(10);

    private static final String NAME = "gran/social";
    private static final int SUPER_PEER_HTTP_PORT = 7401;
    private static final String OPERATOR_LABEL = "app.kubernetes.io/component=operator";
    private static final String IMAGE_VARIABLE = "GRANARY_IMAGE";

    private final Target target;

    SocialCluster(Target target) {
        this.target = target;
    }

    void scale(int replicas) throws Exception {
        target.kubectl().run("scale", NAME, "-n", Target.NAMESPACE, "--replicas=" + replicas);
    }

    /** Merges a change into the resource. */
    void patch(String change) throws Exception {
        target.kubectl().run("patch", NAME, "-n", Target.NAMESPACE, "--type=merge", "-p", change);
    }

    JsonNode resource() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", "social");
    }

    /** Returns a field of a condition; empty when there is no such condition. */
    static String condition(JsonNode granary, String type, String field) {
        for (JsonNode condition : granary.at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path(field).asText();
            }
        }
        return "";
    }

    static boolean isStable(JsonNode granary) {
        return granary.at("/status/observedGeneration").asLong()
                        == granary.at("/metadata/generation").asLong()
                && condition(granary, "Ready", "status").equals("True")
                && condition(granary, "Progressing", "reason").equals("Stable");
    }

    private static boolean hasStorage(JsonNode granary, int peers) {
        return granary.at("/status/storagePeers/replicas").asInt() == peers
                && granary.at("/status/storagePeers/target").asInt() == peers
                && granary.at("/status/storagePeers/live").asInt() == peers;
    }

    /** Waits until there are {@code storagePeers} storage peers and nothing is left to do. */
    void settled(int storagePeers) throws Exception {
        Target.await(storagePeers + " storage peers, and nothing to do", LIMIT, () -> {
            JsonNode granary = resource();
            return isStable(granary) && hasStorage(granary, storagePeers);
        });
    }

    /**
     * Waits until the cluster is as before a fault: all pods, all storage peers, all copies. The super-peers must say
     * so, too, because for a moment after a fault the resource still shows the state before.
     */
    void whole(int storagePeers, int superPeers) throws Exception {
        Target.await("all pods, peers and copies are there again", LIMIT, () -> {
            JsonNode granary = resource();
            return isStable(granary)
                    && hasStorage(granary, storagePeers)
                    && granary.at("/status/superPeers/ready").asInt() == superPeers
                    && granary.at("/status/ring/size").asInt() == superPeers
                    && condition(granary, "Replicated", "status").equals("True")
                    && isWhole(view(), storagePeers, superPeers);
        });
    }

    static boolean isWhole(JsonNode view, int storagePeers, int superPeers) {
        int reachable = 0;
        for (JsonNode member : view.at("/ring/superPeers")) {
            reachable += member.path("reachable").asBoolean() ? 1 : 0;
        }
        JsonNode zones = view.path("zones");
        return reachable == superPeers
                && view.at("/totals/livePeers").asInt() == storagePeers
                && zones.path("inSync").asInt() > 0
                && zones.path("degraded").asInt() + zones.path("recovering").asInt() == 0;
    }

    /** Returns a super-peer's status of the whole cluster; a missing node when none answers. */
    JsonNode view() throws Exception {
        for (JsonNode pod : running("super-peer")) {
            Optional<String> answer =
                    target.apiServer().page(Target.NAMESPACE, name(pod), SUPER_PEER_HTTP_PORT, "/status");
            if (answer.isPresent()) {
                return Target.json(answer.get());
            }
        }
        return MissingNode.getInstance();
    }

    /** Returns the super-peers' status of a pod's storage peer; a missing node if it was never there. */
    JsonNode peer(String pod) throws Exception {
        for (JsonNode peer : view().path("storagePeers")) {
            if (peer.path("name").asText().equals(pod)) {
                return peer;
            }
        }
        return MissingNode.getInstance();
    }

    /** How often the process of a storage peer's pod has been admitted to the cluster; 0 for never. */
    long starts(String pod) throws Exception {
        return peer(pod).path("epoch").asLong();
    }

    /** Waits until the ring has {@code size} super-peers and nothing is left to do. */
    void ring(int size) throws Exception {
        Target.await("a ring of " + size + ", and nothing to do", LIMIT, () -> {
            JsonNode granary = resource();
            return isStable(granary)
                    && granary.at("/status/ring/size").asInt() == size
                    && granary.at("/status/superPeers/replicas").asInt() == size
                    && granary.at("/status/superPeers/ready").asInt() == size;
        });
    }

    /** Returns the Kubernetes nodes on which the cluster's DNS runs. */
    SortedSet<String> nodesOfDns() throws Exception {
        SortedSet<String> nodes = new TreeSet<>();
        target.apiServer().list("kube-system", "pods", "k8s-app=kube-dns").forEach(pod -> nodes.add(node(pod)));
        return nodes;
    }

    /** Returns all pods of the cluster. */
    List<JsonNode> pods() throws Exception {
        return target.podsOf("social");
    }

    /** Returns the running pods of a role, ordered by name. */
    List<JsonNode> running(String role) throws Exception {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode pod : pods()) {
            if (name(pod).startsWith("social-" + role + "-")
                    && pod.at("/metadata/deletionTimestamp").isMissingNode()
                    && pod.at("/status/containerStatuses/0/state/running").isObject()) {
                found.add(pod);
            }
        }
        return found;
    }

    static String name(JsonNode pod) {
        return pod.at("/metadata/name").asText();
    }

    /** Returns the name of the claim of a pod's volume. */
    static String claim(JsonNode pod) {
        return pod.path("spec")
                .findPath("persistentVolumeClaim")
                .path("claimName")
                .asText();
    }

    /** Returns the folder on its node with the volume of a pod, where volumes are folders of nodes. */
    String volume(String pod) throws Exception {
        String claim = claim(target.get(Target.NAMESPACE, "pods", pod));
        String volume = target.get(Target.NAMESPACE, "persistentvolumeclaims", claim)
                .at("/spec/volumeName")
                .asText();
        String folder = target.get("", "persistentvolumes", volume)
                .at("/spec/hostPath/path")
                .asText();
        Check.that(!folder.isEmpty(), "volume %s of %s is no folder of a node", volume, pod);
        return folder;
    }

    /** Returns a pod as it is now: its container may have started again. */
    JsonNode again(JsonNode pod) throws Exception {
        return target.get(Target.NAMESPACE, "pods", name(pod));
    }

    static String node(JsonNode pod) {
        return pod.at("/spec/nodeName").asText();
    }

    /** Waits until every pod asks for this CPU and nothing is left to do. */
    void rolled(String cpu) throws Exception {
        Target.await("every pod asks for " + cpu, LIMIT, () -> {
            for (JsonNode pod : pods()) {
                if (!pod.at("/spec/containers/0/resources/requests/cpu")
                        .asText()
                        .equals(cpu)) {
                    return false;
                }
            }
            return isStable(resource());
        });
    }

    /** Returns each pod's name with its UID, which a successor does not share. */
    List<String> uids() throws Exception {
        List<String> uids = new ArrayList<>();
        for (JsonNode pod : pods()) {
            uids.add(name(pod) + "=" + pod.at("/metadata/uid").asText());
        }
        return uids;
    }

    /** Returns how often containers of the cluster's pods were restarted. */
    long restarts() throws Exception {
        long restarts = 0;
        for (JsonNode pod : pods()) {
            restarts += pod.at("/status/containerStatuses/0/restartCount").asLong();
        }
        return restarts;
    }

    /** Returns the pod of the running operator. */
    JsonNode operatorPod() throws Exception {
        return findOperator().orElseThrow(() -> new AssertionError("no operator runs"));
    }

    /** Returns the image that the operator gives new clusters. */
    String imageOfNewClusters() throws Exception {
        return target.kubectl()
                .run(
                        "get",
                        "deployment",
                        "-l",
                        OPERATOR_LABEL,
                        "-n",
                        Target.OPERATOR_NAMESPACE,
                        "-o",
                        "jsonpath={.items[0].spec.template.spec.containers[0].env[?(@.name==\"" + IMAGE_VARIABLE
                                + "\")].value}")
                .strip();
    }

    /** Starts the operator again with another image for new clusters. */
    void imageOfNewClusters(String image) throws Exception {
        target.kubectl()
                .run(
                        "set",
                        "env",
                        "deployment",
                        "-l",
                        OPERATOR_LABEL,
                        "-n",
                        Target.OPERATOR_NAMESPACE,
                        IMAGE_VARIABLE + "=" + image);
    }

    /** Waits until the operator has {@code count} pods, all of them ready. */
    void operators(int count) throws Exception {
        target.kubectl()
                .run(
                        "scale",
                        "deployment",
                        "-l",
                        OPERATOR_LABEL,
                        "-n",
                        Target.OPERATOR_NAMESPACE,
                        "--replicas=" + count);
        Target.await(count + " operators", LIMIT, () -> {
            int ready = 0;
            List<JsonNode> pods = operatorPods();
            for (JsonNode pod : pods) {
                ready += pod.at("/status/containerStatuses/0/ready").asBoolean() ? 1 : 0;
            }
            return pods.size() == count && ready == count;
        });
    }

    /** Returns the name of the operator pod that holds the lease, where there are several pods. */
    String leadingOperator() throws Exception {
        List<JsonNode> leases = target.apiServer().list(Target.OPERATOR_NAMESPACE, "leases", "");
        Check.that(leases.size() == 1, "expected one lease: %s", leases);
        return leases.getFirst().at("/spec/holderIdentity").asText();
    }

    private List<JsonNode> operatorPods() throws Exception {
        return target.apiServer().list(Target.OPERATOR_NAMESPACE, "pods", OPERATOR_LABEL);
    }

    /** Waits until an operator is ready: a killed one has a successor after a while. */
    void operated() throws Exception {
        Target.await("the operator is ready", LIMIT, () -> findOperator()
                .map(pod -> pod.at("/status/containerStatuses/0/ready").asBoolean())
                .orElse(false));
    }

    private Optional<JsonNode> findOperator() throws Exception {
        return operatorPods().stream()
                .filter(pod -> pod.at("/status/phase").asText().equals("Running")
                        && pod.at("/metadata/deletionTimestamp").isMissingNode())
                .findFirst();
    }

    /** Kills the operator and does not wait. Returns its pod's name. */
    String killOperator() throws Exception {
        String killed = name(operatorPod());
        target.kubectl().run("delete", "pod", killed, "-n", Target.OPERATOR_NAMESPACE, "--grace-period=0", "--force");
        return killed;
    }
}
