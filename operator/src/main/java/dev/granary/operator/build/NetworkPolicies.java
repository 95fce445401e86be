package dev.granary.operator.build;

import dev.granary.operator.api.NetworkPolicySpec;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRuleBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeerBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPortBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Lets only these connect to the pods of a cluster: the pods themselves, the operator, clients, and readers of metrics.
 * Clients reach super-peers, storage peers and their doors. Where nodes and administrators have ports of their own,
 * only they reach those. Probes come from the Kubernetes node, which policies let through.
 */
public final class NetworkPolicies {
    private static final String NAMESPACE_NAME = "kubernetes.io/metadata.name";
    private static final Map<String, String> OPERATOR = Map.of("app.kubernetes.io/name", "granary-operator");

    private NetworkPolicies() {}

    /** The name of a cluster's policy. */
    public static String name(String cluster) {
        return Names.configMap(cluster);
    }

    /** The policy that the resource asks for. */
    public static NetworkPolicy of(ClusterPlan plan, NetworkPolicySpec spec) {
        List<NetworkPolicyIngressRule> rules = new ArrayList<>();
        rules.addAll(own(plan));
        rules.add(operatorsRule(plan));
        List<NetworkPolicyPeer> clients = spec.clients() == null ? List.of(peer(null, Map.of())) : spec.clients();
        rules.add(
                plan.redis() == null
                        ? rule(clients, Names.SUPER_PEER_PORT, Names.STORAGE_PORT)
                        : rule(clients, Names.SUPER_PEER_PORT, Names.STORAGE_PORT, Names.REDIS_PORT));
        if (spec.metricsFrom() != null) {
            rules.add(rule(spec.metricsFrom(), Names.SUPER_PEER_HTTP_PORT, Names.STORAGE_HTTP_PORT));
        }
        // A rule from an empty list of peers would let everybody in.
        rules.removeIf(rule -> rule.getFrom().isEmpty());
        return new NetworkPolicyBuilder()
                .withMetadata(Meta.of(plan, name(plan.name()), Names.labels(plan.name())))
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(members(plan))
                .endPodSelector()
                .withPolicyTypes("Ingress")
                .withIngress(rules)
                .endSpec()
                .build();
    }

    /** What the pods of the cluster reach: nodes each other, and the Jobs of backups what administrators do. */
    private static List<NetworkPolicyIngressRule> own(ClusterPlan plan) {
        if (!plan.hasPorts()) {
            return List.of(rule(List.of(peer(null, members(plan))), Names.SUPER_PEER_PORT, Names.STORAGE_PORT));
        }
        NetworkPolicyPeer superPeers = peer(null, Names.selector(plan.name(), Names.SUPER_PEER));
        NetworkPolicyPeer storage = peer(null, Names.selector(plan.name(), Names.STORAGE));
        NetworkPolicyPeer jobs = peer(null, Names.selector(plan.name(), Names.BACKUP));
        return List.of(
                // Nodes are clients of each other, too: the doors of storage peers are.
                rule(List.of(superPeers, storage), Names.SUPER_PEER_PORT, Names.STORAGE_PORT, Names.INSIDE_PORT),
                // People administer by 'kubectl exec' into a super-peer.
                rule(List.of(superPeers, jobs), Names.SUPER_PEER_PORT, Names.STORAGE_PORT, Names.ADMIN_PORT));
    }

    /**
     * A hibernation asks each storage peer itself; the Jobs of backups report their progress on the port 7401; on the
     * HTTP ports each process says which certificates it has.
     */
    private static NetworkPolicyIngressRule operatorsRule(ClusterPlan plan) {
        IntStream.Builder ports = IntStream.builder()
                .add(Names.SUPER_PEER_PORT)
                .add(Names.SUPER_PEER_HTTP_PORT)
                .add(Names.STORAGE_PORT)
                .add(Names.STORAGE_HTTP_PORT);
        if (plan.hasPorts()) {
            ports.add(Names.ADMIN_PORT);
        }
        return rule(List.of(operator(plan)), ports.build().toArray());
    }

    private static Map<String, String> members(ClusterPlan plan) {
        Map<String, String> labels = Names.selector(plan.name(), "");
        labels.remove(Names.COMPONENT_LABEL);
        return labels;
    }

    private static NetworkPolicyPeer operator(ClusterPlan plan) {
        String namespace = plan.access().operatorNamespace();
        return peer(namespace == null ? Map.of() : Map.of(NAMESPACE_NAME, namespace), OPERATOR);
    }

    private static NetworkPolicyPeer peer(@Nullable Map<String, String> namespace, Map<String, String> pods) {
        return new NetworkPolicyPeerBuilder()
                .withNamespaceSelector(namespace == null ? null : selector(namespace))
                .withPodSelector(selector(pods))
                .build();
    }

    private static LabelSelector selector(Map<String, String> labels) {
        return new LabelSelectorBuilder().withMatchLabels(labels).build();
    }

    private static NetworkPolicyIngressRule rule(List<NetworkPolicyPeer> from, int... ports) {
        List<NetworkPolicyPort> all = IntStream.of(ports)
                .mapToObj(port -> new NetworkPolicyPortBuilder()
                        .withProtocol("TCP")
                        .withPort(new IntOrString(port))
                        .build())
                .toList();
        return new NetworkPolicyIngressRuleBuilder()
                .withFrom(from)
                .withPorts(all)
                .build();
    }
}
