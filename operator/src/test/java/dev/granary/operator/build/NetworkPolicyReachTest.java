package dev.granary.operator.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Golden;
import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
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

    @ParameterizedTest
    @CsvSource({
        "super-peer, 7400, its requests",
        "super-peer, 7401, its look at the cluster",
        "storage, 7500, a hibernation",
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
        assertThat(isLetOut("somebody-else", 7400)).isFalse();
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
