package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.operator.Golden;
import dev.granary.operator.OperatorProgram;
import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.api.GranaryUserSpec;
import dev.granary.operator.api.Reference;
import dev.granary.operator.api.UserStatus;
import dev.granary.operator.build.ClusterObjects;
import dev.granary.operator.build.PodMonitors;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.plan.Names;
import dev.granary.process.Program;
import dev.granary.process.config.Config;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator does all its work with the rights that the chart gives it, and with those only. */
@Tag("api-server")
class ChartRightsTest {
    private static final String OPERATOR_NAMESPACE = "granary-system";

    /** An operator of its own starts for each test, beside other suites. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final Set<String> RIGHTS =
            Set.of("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding");

    private final ApiServer server = ApiServer.get();
    private final KubernetesClient admin = server.client();
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private List<HasMetadata> applied = List.of();

    @AfterEach
    void takeRightsAway() {
        applied.forEach(object -> admin.resource(object).delete());
    }

    @Test
    void clusterWide_defaults_operatorWorksInAnyNamespace() throws Exception {
        giveRights("defaults.yaml");
        String namespace = server.namespace("rights");
        worksIn(namespace, Map.of());
    }

    @Test
    void namespaces_twoNamed_operatorWorksThereAndHasNoRightElsewhere() throws Exception {
        for (String name : List.of("shop", "search")) {
            makeNamespace(name);
        }
        giveRights("namespaces.yaml");
        worksIn("shop", Map.of("GRANARY_OPERATOR_NAMESPACES", "shop,search"));
        String elsewhere = server.namespace("elsewhere");
        try (KubernetesClient operator = operatorClient()) {
            assertThatThrownBy(() -> operator.pods().inNamespace(elsewhere).list())
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining("forbidden");
            assertThatThrownBy(() -> operator.secrets().inNamespace("shop").list())
                    .hasMessageContaining("forbidden");
        }
    }

    @Test
    void people_whoMayViewOrEdit_mayDoSoWithGranaries() throws Exception {
        giveRights("defaults.yaml");
        String namespace = server.namespace("people");
        bind(namespace, "viewer", "granary-operator-view");
        bind(namespace, "editor", "granary-operator-view");
        bind(namespace, "editor", "granary-operator-edit");
        Granary granary = Samples.granary("social", "{}");
        granary.getMetadata().setNamespace(namespace);
        granary.getMetadata().setUid(null);
        try (KubernetesClient viewer = server.clientAs(namespace + ":viewer");
                KubernetesClient editor = server.clientAs(namespace + ":editor")) {
            assertThatThrownBy(() -> viewer.resource(granary).create()).hasMessageContaining("forbidden");
            editor.resource(granary).create();
            assertThat(viewer.resources(Granary.class)
                            .inNamespace(namespace)
                            .list()
                            .getItems())
                    .hasSize(1);
            assertThatThrownBy(() -> viewer.resource(granary).delete()).hasMessageContaining("forbidden");
            assertThatThrownBy(() -> editor.pods().inNamespace(namespace).list())
                    .hasMessageContaining("forbidden");
            editor.resource(granary).delete();
        }
    }

    /** Gives a role of the chart as the controller of aggregation does, which does not run here. */
    private void bind(String namespace, String account, String role) {
        admin.resource(Serialization.unmarshal(
                        """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: %s-%s, namespace: %s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}
                subjects: [{kind: ServiceAccount, name: %s, namespace: %s}]
                """.formatted(account, role, namespace, role, account, namespace), RoleBinding.class))
                .create();
    }

    @ParameterizedTest
    @ValueSource(strings = {"helm/golden/defaults.yaml", "helm/golden/namespaces.yaml", "helm/golden/everything.yaml"})
    void chart_everyObject_isTakenByAStrictServer(String file) throws Exception {
        List.of(OPERATOR_NAMESPACE, "shop", "search").forEach(this::makeNamespace);
        List<HasMetadata> objects = load(file).stream()
                .filter(object -> !object.getApiVersion().equals(PodMonitors.API_VERSION))
                .toList();
        assertThat(objects).hasSizeGreaterThan(5);
        assertTaken(objects);
    }

    @Test
    void chart_itsExamples_areTakenByAStrictServer() throws Exception {
        String chart = Files.readString(Golden.repository().resolve("helm/granary/Chart.yaml"));
        String examples = Serialization.unmarshal(chart, JsonNode.class)
                .path("annotations")
                .path("artifacthub.io/crdsExamples")
                .asText();
        String namespace = server.namespace("examples");
        List<HasMetadata> objects = new ArrayList<>();
        for (JsonNode example : Serialization.unmarshal(examples, JsonNode.class)) {
            GenericKubernetesResource object =
                    Serialization.unmarshal(example.toString(), GenericKubernetesResource.class);
            object.getMetadata().setNamespace(namespace);
            objects.add(object);
        }
        assertThat(objects).hasSize(5);
        assertTaken(objects);
    }

    @Test
    void operator_everyObjectOfAGranary_isTakenByAStrictServer() throws Exception {
        String namespace = server.namespace("taken");
        List<HasMetadata> objects = ClusterObjects.of(
                Samples.plan("{networkPolicy: {enabled: true}, redis: {enabled: true}, storagePeers: {pod:"
                        + " {antiAffinity: required, tolerations: [{key: cache, operator: Exists}]}}}"));
        objects.forEach(object -> object.getMetadata().setNamespace(namespace));
        assertTaken(objects);
    }

    /** All of them by one kubectl, which asks the server for its schemas when it starts. */
    private void assertTaken(List<HasMetadata> objects) throws Exception {
        StringBuilder documents = new StringBuilder();
        for (HasMetadata object : objects) {
            documents.append("---\n").append(Serialization.asYaml(object)).append('\n');
        }
        ApiServer.Result result = server.kubectl(
                documents.toString(),
                "apply",
                "--server-side",
                "--force-conflicts",
                "--dry-run=server",
                "--validate=strict",
                "-f",
                "-");
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output().lines().filter(line -> line.endsWith("serverside-applied (server dry run)")))
                .as(result.output())
                .hasSameSizeAs(objects);
    }

    private List<HasMetadata> load(String file) throws IOException {
        try (InputStream in = Files.newInputStream(Golden.repository().resolve(file))) {
            return admin.load(in).items();
        }
    }

    /** Changes a Secret, which takes another right than to make it. */
    private void renewsCertificates(String namespace) {
        Supplier<String> certificate = () -> admin.secrets()
                .inNamespace(namespace)
                .withName("social-granary-tls-storage")
                .require()
                .getData()
                .get("tls.crt");
        String before = certificate.get();
        Writes.untilTaken(() -> admin.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .edit(old -> {
                    old.getMetadata().setAnnotations(Map.of(Names.RENEW_CERTIFICATES_ANNOTATION, "1"));
                    return old;
                }));
        await().atMost(LIMIT).until(() -> !certificate.get().equals(before));
    }

    /** Makes another Secret of the same name, which takes the right to delete one: it is immutable at first. */
    private void changesTheSecret(String namespace) {
        Supplier<Secret> administrators = () -> admin.secrets()
                .inNamespace(namespace)
                .withName("social-granary")
                .require();
        Secret first = administrators.get();
        String old = Objects.requireNonNull(Secrets.textOf(first));
        Secret file = new SecretBuilder(first)
                .editMetadata()
                .withName("social-granary-nodes-1")
                .withResourceVersion(null)
                .withUid(null)
                .endMetadata()
                .withData(null)
                .withStringData(Map.of("cluster.secret", old + "\n" + "n".repeat(64)))
                .build();
        admin.resource(file).create();
        // No pod runs here that the change would wait for, so it begins in the middle.
        Writes.untilTaken(() -> admin.apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName("social-storage")
                .edit(set -> {
                    set.getMetadata().getAnnotations().put(Names.SECRET_ANNOTATION, "0 Proving now");
                    return set;
                }));
        await().atMost(LIMIT).until(() -> "n".repeat(64).equals(Secrets.textOf(administrators.get())));
    }

    private void worksIn(String namespace, Map<String, String> settings) throws Exception {
        Program.Running running = start(settings);
        try {
            Granary granary = Samples.granary(
                    "social",
                    "{storagePeers: {volume: {size: 10Gi}}, redis: {enabled: true, managedUsers: true},"
                            + " tls: {enabled: true}}");
            granary.getMetadata().setNamespace(namespace);
            granary.getMetadata().setUid(null);
            admin.resource(granary).create();
            admin.resource(claim(namespace)).create();
            admin.resource(claim(namespace)).updateStatus();
            await().atMost(LIMIT).until(() -> events(namespace).stream()
                    .anyMatch(event -> event.getMessage().contains("StatefulSet social-storage")));
            await().atMost(LIMIT).until(() -> status(namespace) != null);
            await().atMost(LIMIT).until(() -> hasRedisService(namespace));
            makesUser(namespace);
            renewsCertificates(namespace);
            changesTheSecret(namespace);
            Writes.untilTaken(() -> admin.resources(Granary.class)
                    .inNamespace(namespace)
                    .withName("social")
                    .edit(old -> Samples.granary(old, "{storagePeers: {volume: {size: 20Gi}}, tls: {enabled: true}}")));
            // This claim has no storage class that could expand it. An answer other than "cannot patch" shows that the
            // operator has the right.
            await().atMost(LIMIT).until(() -> events(namespace).stream()
                    .anyMatch(event -> event.getReason().equals("ExpansionRefused")));
            // The change has taken the doors away, too.
            await().atMost(LIMIT).until(() -> !hasRedisService(namespace));
            assertThat(events(namespace)).noneMatch(event -> event.getMessage().contains("cannot patch resource"));
            assertThat(String.valueOf(status(namespace))).doesNotContain("ReconcileFailed");
            assertThat(failure.get()).isNull();
        } finally {
            running.stop();
            admin.resources(Granary.class)
                    .inNamespace(namespace)
                    .withName("social")
                    .delete();
        }
    }

    private void makesUser(String namespace) {
        admin.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("shop-password")
                        .withNamespace(namespace)
                        .endMetadata()
                        .withStringData(Map.of("password", "open"))
                        .build())
                .create();
        GranaryUser user = new GranaryUser();
        user.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName("shop")
                .build());
        user.setSpec(new GranaryUserSpec(
                new Reference("social"),
                null,
                null,
                List.of(new GranaryUserSpec.Password(new GranaryUserSpec.SecretKey("shop-password", null))),
                "~shop:* +@all"));
        admin.resource(user).create();
        await().atMost(LIMIT).until(() -> {
            UserStatus status = admin.resource(user).get().getStatus();
            return status != null
                    && status.conditions() != null
                    && status.conditions().getFirst().getReason().equals("Known");
        });
        admin.resource(user).delete();
    }

    private boolean hasRedisService(String namespace) {
        return admin.services().inNamespace(namespace).withName("social-redis").get() != null;
    }

    private Program.Running start(Map<String, String> settings) throws Exception {
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("GRANARY_IMAGE", "example.org/granary:1");
        environment.put("GRANARY_OPERATOR_LEASE_NAMESPACE", OPERATOR_NAMESPACE);
        environment.put("GRANARY_HTTP_HOST", "127.0.0.1");
        environment.put("GRANARY_HTTP_PORT", "0");
        OperatorProgram program = new OperatorProgram(this::operatorClient);
        return program.start(Config.load(program.schema(), null, environment), (reason, cause) -> failure.set(reason));
    }

    private KubernetesClient operatorClient() {
        return server.clientAs(OPERATOR_NAMESPACE + ":granary-operator");
    }

    private void giveRights(String golden) throws IOException {
        makeNamespace(OPERATOR_NAMESPACE);
        applied = load("helm/golden/" + golden).stream()
                .filter(object -> RIGHTS.contains(object.getKind()))
                .toList();
        assertThat(applied).hasSizeGreaterThanOrEqualTo(5);
        applied.forEach(object -> admin.resource(object).serverSideApply());
    }

    private void makeNamespace(String name) {
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .serverSideApply();
    }

    private static PersistentVolumeClaim claim(String namespace) {
        return Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata:
                  name: data-social-storage-0
                  namespace: %s
                  labels:
                    app.kubernetes.io/name: granary
                    app.kubernetes.io/instance: social
                    app.kubernetes.io/component: storage
                    app.kubernetes.io/managed-by: granary-operator
                    granary.dev/cluster: social
                spec:
                  accessModes: [ReadWriteOnce]
                  volumeName: one
                  resources: {requests: {storage: 10Gi}}
                status: {phase: Bound, capacity: {storage: 10Gi}}
                """.formatted(namespace), PersistentVolumeClaim.class);
    }

    private List<Event> events(String namespace) {
        return admin.v1().events().inNamespace(namespace).list().getItems();
    }

    private @Nullable Object status(String namespace) {
        return admin.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .require()
                .getStatus();
    }
}
