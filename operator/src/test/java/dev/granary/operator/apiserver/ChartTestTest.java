package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.DryRunMain;
import dev.granary.operator.Golden;
import dev.granary.operator.api.Granary;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code helm test} does with a Granary, with the rights that the chart gives it for that. */
@Tag("api-server")
class ChartTestTest {
    private static final String NAMESPACE = "granary-system";
    private static final String NAME = "granary-operator-test-create";
    private static final Set<String> RIGHTS = Set.of("ServiceAccount", "Role", "RoleBinding");

    private final ApiServer server = ApiServer.get();
    private final KubernetesClient admin = server.client();
    private List<HasMetadata> objects = List.of();

    @BeforeEach
    void readChart() throws IOException {
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        try (InputStream in = Files.newInputStream(Golden.repository().resolve("helm/golden/defaults.yaml"))) {
            objects = admin.load(in).items().stream()
                    .filter(object -> object.getMetadata().getName().equals(NAME))
                    .toList();
        }
        assertThat(objects).hasSize(RIGHTS.size() + 1);
    }

    @AfterEach
    void takeRightsAway() {
        rights().forEach(object -> admin.resource(object).delete());
    }

    @Test
    void create_withTheRightsOfTheChart_isTakenAndStoresNothing() {
        rights().forEach(object -> admin.resource(object).serverSideApply());
        try (KubernetesClient tester = server.clientAs(NAMESPACE + ":" + NAME)) {
            assertThat(DryRunMain.create(tester, manifest()))
                    .isEqualTo("The API server would create Granary granary-test in namespace granary-system.");
            assertThat(admin.resources(Granary.class)
                            .inNamespace(NAMESPACE)
                            .list()
                            .getItems())
                    .isEmpty();
            assertThatThrownBy(() -> tester.resources(Granary.class)
                            .inNamespace(NAMESPACE)
                            .list())
                    .hasMessageContaining("forbidden");
        }
    }

    @Test
    void create_withoutRights_failsWithTheReason() {
        try (KubernetesClient tester = server.clientAs(NAMESPACE + ":" + NAME)) {
            assertThatThrownBy(() -> DryRunMain.create(tester, manifest()))
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining("cannot create resource \"granaries\"");
        }
    }

    @Test
    void create_unknownField_failsWithTheReason() {
        String wrong = manifest().replace("spec: {}", "spec: {peers: 3}");
        assertThatThrownBy(() -> DryRunMain.create(admin, wrong))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("unknown field \"spec.peers\"");
    }

    private List<HasMetadata> rights() {
        return objects.stream()
                .filter(object -> RIGHTS.contains(object.getKind()))
                .toList();
    }

    private String manifest() {
        Pod pod = objects.stream()
                .filter(Pod.class::isInstance)
                .map(Pod.class::cast)
                .findFirst()
                .orElseThrow();
        return pod.getSpec().getContainers().getFirst().getArgs().getFirst();
    }
}
