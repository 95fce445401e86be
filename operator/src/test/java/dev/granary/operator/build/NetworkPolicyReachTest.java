package dev.granary.operator.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Golden;
import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where policies are enforced, a connection of the operator needs the cluster's policy, which must let it in, and the
 * chart's, which must let it out. The operator is in a namespace of its own.
 */
class NetworkPolicyReachTest {
    private static final String NAMESPACE_NAME = "kubernetes.io/metadata.name";
    private static final Map<String, String> OPERATOR_NAMESPACE = Map.of(NAMESPACE_NAME, "granary-system");
    private static final Map<String, String> OPERATOR =
            Map.of("app.kubernetes.io/name", "granary-operator", "app.kubernetes.io/instance", "granary");

    private static final Map<String, String> OWN_NAMESPACE = Map.of(NAMESPACE_NAME, "shop");
    private static final String CLOSED = "{redis: {enabled: true}, networkPolicy: {enabled: true,"
            + " clients: [{podSelector: {matchLabels: {app: web}}}],"
            + " metricsFrom: [{podSelector: {matchLabels: {app: prometheus}}}]}}";
    private static final ClusterPlan ADMITTED = Samples.plan(CLOSED);

    @ParameterizedTest
    @CsvSource({
        "super-peer, 7400, its requests",
        "super-peer, 7401, its look at the cluster",
        "super-peer, 7700, its orders",
        "storage, 7500, what a cluster with one port is asked",
        "storage, 7700, a hibernation",
        "storage, 7501, the certificates that it shows",
        "backup, 7401, the progress of a backup"
    })
    void operator_whatItAsks_isLetInByTheClusterAndOutByTheChart(String component, int port, String forWhat)
            throws IOException {
        assertThat(isLetIn(component, port)).as("in, for " + forWhat).isTrue();
        assertThat(isLetOut(component, port)).as("out, for " + forWhat).isTrue();
    }

    @Test
    void operator_whatItDoesNotAsk_isNotLetThrough() throws IOException {
        assertThat(isLetIn("storage", 6379)).isFalse();
        assertThat(isLetOut("storage", 6379)).isFalse();
        assertThat(isLetIn("storage", 7600)).isFalse();
        assertThat(isLetOut("storage", 7600)).isFalse();
        assertThat(isLetOut("somebody-else", 7400)).isFalse();
    }

    /** Every port of a cluster's pods, and who reaches it. Pods of the namespace are those of the cluster's clients. */
    @ParameterizedTest
    @CsvSource({
        "client, 7400 7500 6379",
        "super-peer, 7400 7500 7600 7700",
        "storage, 7400 7500 7600",
        "backup, 7400 7500 7700",
        "operator, 7400 7401 7500 7501 7700",
        "prometheus, 7401 7501",
        "stranger, ''"
    })
    void cluster_everyCaller_reachesThePortsOfItsRolesAlone(String caller, String ports) {
        assertThat(reached(caller, ADMITTED)).isEqualTo(ports);
    }

    /** Pods that were made before nodes and administrators had ports of their own have one for everything. */
    @ParameterizedTest
    @CsvSource({
        "client, 7400 7500 6379",
        "super-peer, 7400 7500",
        "storage, 7400 7500",
        "backup, 7400 7500",
        "operator, 7400 7401 7500 7501"
    })
    void cluster_onePortForEverything_isReachedByAll(String caller, String ports) {
        Existing old = new Existing(
                Existing.Role.NOTHING,
                Existing.Role.NOTHING,
                null,
                Existing.Devices.UNKNOWN,
                "id",
                false,
                null,
                true,
                null);
        assertThat(reached(caller, Samples.plan(CLOSED, old))).isEqualTo(ports);
    }

    private static String reached(String caller, ClusterPlan plan) {
        Map<String, String> labels =
                switch (caller) {
                    case "client" -> Map.of("app", "web");
                    case "prometheus" -> Map.of("app", "prometheus");
                    case "operator" -> OPERATOR;
                    case "stranger" -> Map.of("app", "stranger");
                    default -> Names.labels("social", caller);
                };
        Map<String, String> namespace = caller.equals("operator") ? OPERATOR_NAMESPACE : OWN_NAMESPACE;
        NetworkPolicy policy =
                NetworkPolicies.of(plan, Objects.requireNonNull(plan.access().networkPolicy()));
        return IntStream.of(7400, 7401, 7500, 7501, 7600, 7700, 6379)
                .filter(port -> policy.getSpec().getIngress().stream()
                        .anyMatch(rule -> has(rule.getPorts(), port)
                                && rule.getFrom().stream().anyMatch(peer -> admits(peer, namespace, labels))))
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" "));
    }

    /** Without a selector of namespaces a peer is in the cluster's. */
    private static boolean admits(NetworkPolicyPeer peer, Map<String, String> namespace, Map<String, String> pod) {
        return peer.getNamespaceSelector() == null
                ? namespace.equals(OWN_NAMESPACE) && matches(peer.getPodSelector(), pod)
                : is(peer, namespace, pod);
    }

    /** Whether the cluster's policy lets the operator in. Its clients are named, so that it comes by its own rule. */
    private static boolean isLetIn(String component, int port) {
        ClusterPlan plan =
                Samples.plan("{networkPolicy: {enabled: true, clients: [{podSelector: {matchLabels: {app: web}}}]}}");
        NetworkPolicy policy =
                NetworkPolicies.of(plan, Objects.requireNonNull(plan.access().networkPolicy()));
        assertThat(matches(policy.getSpec().getPodSelector(), Names.labels("social", component)))
                .as("the policy is about these pods")
                .isTrue();
        return policy.getSpec().getIngress().stream()
                .anyMatch(rule -> has(rule.getPorts(), port)
                        && rule.getFrom().stream().anyMatch(peer -> is(peer, OPERATOR_NAMESPACE, OPERATOR)));
    }

    private static boolean isLetOut(String component, int port) throws IOException {
        String golden = Files.readString(Golden.repository().resolve("helm/golden/everything.yaml"));
        NetworkPolicy policy = Arrays.stream(golden.split("(?m)^---$", -1))
                .filter(text -> text.contains("kind: NetworkPolicy"))
                .map(text -> Serialization.unmarshal(text, NetworkPolicy.class))
                .findFirst()
                .orElseThrow();
        return policy.getSpec().getEgress().stream()
                .filter(rule -> !rule.getTo().isEmpty())
                .anyMatch(rule -> has(rule.getPorts(), port)
                        && rule.getTo().stream()
                                .anyMatch(peer ->
                                        is(peer, Map.of(NAMESPACE_NAME, "shop"), Names.labels("social", component))));
    }

    private static boolean is(NetworkPolicyPeer peer, Map<String, String> namespace, Map<String, String> pod) {
        return peer.getNamespaceSelector() != null
                && matches(peer.getNamespaceSelector(), namespace)
                && matches(peer.getPodSelector(), pod);
    }

    private static boolean matches(LabelSelector selector, Map<String, String> labels) {
        Map<String, String> wanted = selector.getMatchLabels();
        return wanted == null || labels.entrySet().containsAll(wanted.entrySet());
    }

    private static boolean has(List<NetworkPolicyPort> ports, int port) {
        return ports.stream().map(NetworkPolicyPort::getPort).anyMatch(new IntOrString(port)::equals);
    }
}
