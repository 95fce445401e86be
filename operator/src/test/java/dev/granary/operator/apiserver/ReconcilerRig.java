package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.granary.client.ClientTlsText;
import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.StatefulSets;
import dev.granary.operator.certificate.Taken;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.reconcile.CordonedNodes;
import dev.granary.operator.reconcile.DeviceNodes;
import dev.granary.operator.reconcile.GranaryReconciler;
import dev.granary.operator.reconcile.NodeZones;
import dev.granary.operator.reconcile.ReconcileMetrics;
import dev.granary.operator.reconcile.UserSecretKeeper;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import io.prometheus.client.CollectorRegistry;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A reconciler with a real API server; the test gives the answers of the super-peers. */
abstract class ReconcilerRig {
    static final String POD_MONITOR_CRD = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: podmonitors.monitoring.coreos.com}
            spec:
              group: monitoring.coreos.com
              scope: Namespaced
              names: {kind: PodMonitor, plural: podmonitors, singular: podmonitor}
              versions:
                - name: v1
                  served: true
                  storage: true
                  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            """;
    static final String CLUSTER_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

    final KubernetesClient client = ApiServer.get().client();
    final AtomicReference<ClusterObserver.Answer> answer =
            new AtomicReference<>(new ClusterObserver.Answer.Unreachable("not up"));
    final AtomicLong clockStep = new AtomicLong();
    final InstantSource clock = () -> Instant.now().plusSeconds(clockStep.get());
    final RecordingControl control = new RecordingControl();
    final CollectorRegistry registry = new CollectorRegistry();
    String namespace = "";
    private @Nullable Operator operator;

    @BeforeEach
    void startOperator() {
        namespace = ApiServer.get().namespace("reconcile");
        Operator started = new Operator(overrides -> overrides
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withReconciliationTerminationTimeout(Duration.ofSeconds(5)));
        Duration pace = Duration.ofMillis(200);
        started.register(
                new GranaryReconciler(
                        client,
                        new Planner(Samples.DEFAULTS),
                        new GranaryReconciler.Contacts(
                                _ -> Objects.requireNonNull(answer.get()), control, this::certificatesOf),
                        new GranaryReconciler.Nodes(
                                CordonedNodes.none(), DeviceNodes.of(client, clock), NodeZones.of(client)),
                        new UserSecretKeeper(client, clock),
                        new ReconcileMetrics(registry, InstantSource.system()),
                        clock,
                        new GranaryReconciler.Pace(pace, pace)),
                overrides -> overrides.settingNamespace(namespace).withRetry(GranaryReconciler.retry()));
        started.start();
        operator = started;
    }

    /** What the processes of the cluster say of their certificates; a test sets it. */
    volatile Function<String, Taken.Answer> certificates = host -> new Taken.Answer(host, null, List.of());

    private Taken.Answer certificatesOf(String host, int port, @Nullable ClientTlsText tls) {
        return certificates.apply(host + ":" + port);
    }

    @AfterEach
    void stopOperator() {
        if (operator != null) {
            operator.stop();
        }
    }

    Granary create(String spec) {
        Granary granary = Samples.granary("social", spec);
        granary.getMetadata().setNamespace(namespace);
        granary.getMetadata().setUid(null);
        granary.getMetadata().setGeneration(null);
        return client.resource(granary).create();
    }

    Granary current() {
        return client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .require();
    }

    void change(String spec) {
        Writes.untilTaken(() -> client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .edit(old -> Samples.granary(old, spec)));
    }

    void scale(int replicas) {
        Writes.untilTaken(() -> client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .scale(replicas));
    }

    static ClusterView view(String clusterId, int peers, int live) {
        List<ClusterView.StoragePeer> all = IntStream.range(0, live)
                .mapToObj(i -> Samples.storagePeer(i, "live", 1, "none"))
                .toList();
        return new ClusterView(
                clusterId,
                Samples.ring(true),
                all,
                new ClusterView.Totals(1, peers, live, 9, 10, 1000, 90, 4096, 1 << 30),
                Samples.zonesInSync());
    }

    StatefulSet awaitStatefulSet(String name, Predicate<StatefulSet> condition) {
        return awaiting()
                .until(
                        () -> client.apps()
                                .statefulSets()
                                .inNamespace(namespace)
                                .withName(name)
                                .get(),
                        set -> set != null && condition.test(set));
    }

    GranaryStatus awaitStatus(Predicate<GranaryStatus> condition) {
        return awaiting().until(() -> current().getStatus(), status -> status != null && condition.test(status));
    }

    void awaitConfig(Predicate<String> condition) {
        awaiting().until(() -> {
            ConfigMap map = client.configMaps()
                    .inNamespace(namespace)
                    .withName("social-granary")
                    .get();
            return map != null && condition.test(map.getData().get("social-super-peer-0.properties"));
        });
    }

    List<String> events() {
        return client.v1().events().inNamespace(namespace).list().getItems().stream()
                .map(Event::getReason)
                .toList();
    }

    double reconciles() {
        return reconciles("ok");
    }

    double reconciles(String outcome) {
        Double value = registry.getSampleValue(
                "granary_operator_reconciles_total",
                new String[] {"namespace", "name", "outcome"},
                new String[] {namespace, "social", outcome});
        return value == null ? 0 : value;
    }

    /** Makes the API server refuse all StatefulSets of a namespace. The refusals begin after a moment. */
    void deny(String name) {
        client.load(new ByteArrayInputStream("""
                        apiVersion: admissionregistration.k8s.io/v1
                        kind: ValidatingAdmissionPolicy
                        metadata: {name: %1$s}
                        spec:
                          matchConstraints:
                            resourceRules:
                              - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [statefulsets]}
                          validations:
                            - {expression: "false", message: no StatefulSets today}
                        ---
                        apiVersion: admissionregistration.k8s.io/v1
                        kind: ValidatingAdmissionPolicyBinding
                        metadata: {name: %1$s}
                        spec:
                          policyName: %1$s
                          validationActions: [Deny]
                          matchResources:
                            namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %1$s}}
                        """.formatted(name).getBytes(StandardCharsets.UTF_8)))
                .create();
        awaiting().until(() -> {
            try {
                client.resource(StatefulSets.storage(Samples.plan("{}")))
                        .inNamespace(name)
                        .dryRun(true)
                        .create();
                return false;
            } catch (KubernetesClientException refused) {
                return String.valueOf(refused.getMessage()).contains("no StatefulSets today");
            }
        });
    }

    void allow(String name) {
        client.admissionRegistration()
                .v1()
                .validatingAdmissionPolicyBindings()
                .withName(name)
                .delete();
        client.admissionRegistration()
                .v1()
                .validatingAdmissionPolicies()
                .withName(name)
                .delete();
    }

    /** The resource versions of all objects that the operator writes. */
    String versions() {
        Function<HasMetadata, String> version =
                object -> object.getKind() + object.getMetadata().getResourceVersion();
        return List.of(
                        version.apply(current()),
                        version.apply(awaitStatefulSet("social-storage", set -> true)),
                        version.apply(awaitStatefulSet("social-super-peer", set -> true)),
                        version.apply(client.services()
                                .inNamespace(namespace)
                                .withName("social")
                                .require()),
                        version.apply(client.configMaps()
                                .inNamespace(namespace)
                                .withName("social-granary")
                                .require()),
                        Integer.toString(events().size()))
                .toString();
    }

    static @Nullable String annotation(StatefulSet set) {
        return set.getMetadata().getAnnotations() == null
                ? null
                : set.getMetadata().getAnnotations().get("granary.dev/cluster-id");
    }

    static String image(StatefulSet set) {
        return set.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
    }

    static Condition condition(GranaryStatus status, String type) {
        assertThat(status.conditions()).isNotNull();
        return status.conditions().stream()
                .filter(c -> c.getType().equals(type))
                .findFirst()
                .orElseThrow();
    }

    static boolean isTrue(GranaryStatus status, String type) {
        return status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(c -> c.getType().equals(type) && c.getStatus().equals("True"));
    }

    static boolean hasReason(GranaryStatus status, String type, String reason) {
        return condition(status, type).getReason().equals(reason);
    }

    static void assertCondition(GranaryStatus status, String type, String value, String reason) {
        assertThat(condition(status, type)).satisfies(condition -> {
            assertThat(condition.getStatus()).isEqualTo(value);
            assertThat(condition.getReason()).isEqualTo(reason);
        });
    }

    static ConditionFactory awaiting() {
        return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100));
    }
}
