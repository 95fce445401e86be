package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.LeanSerialization;
import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.StopStatus;
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
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.Operator;
import io.prometheus.client.CollectorRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A cluster that nobody changes costs the API server nothing (ADR 0142), and the operator still does everything that
 * needs to be done. The test plays the controllers of Kubernetes and its kubelets.
 */
@Tag("api-server")
class SettledClusterTest {
    private static final String CLUSTER_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

    private final KubernetesClient admin = ApiServer.get().client();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final KubernetesClient client = new KubernetesClientBuilder()
            .withConfig(admin.getConfiguration())
            .withKubernetesSerialization(new LeanSerialization())
            .withHttpClientBuilderConsumer(
                    http -> http.addOrReplaceInterceptor("requests", new RequestRecorder(requests)))
            .build();
    private final AtomicReference<ClusterObserver.Answer> answer =
            new AtomicReference<>(new ClusterObserver.Answer.Seen(view(10)));
    private final AtomicReference<Runnable> beforeAnswer = new AtomicReference<>(() -> {});
    private final AtomicLong clockStep = new AtomicLong();
    private final InstantSource clock = () -> Instant.now().plusSeconds(clockStep.get());
    private final CollectorRegistry registry = new CollectorRegistry();
    private final Operator operator = new Operator(overrides -> overrides
            .withKubernetesClient(client)
            .withCloseClientOnStop(false)
            .withReconciliationTerminationTimeout(Duration.ofSeconds(5)));
    private String namespace = "";
    private @Nullable GranaryReconciler reconciler;

    private record RequestRecorder(Queue<String> requests) implements Interceptor {
        @Override
        public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
            requests.add(request.method() + " " + request.uri());
        }
    }

    @BeforeEach
    void startWithASettledCluster() {
        namespace = ApiServer.get().namespace("idle");
        Duration pace = Duration.ofMillis(200);
        GranaryReconciler made = new GranaryReconciler(
                client,
                new Planner(Samples.DEFAULTS),
                new GranaryReconciler.Contacts(
                        _ -> {
                            beforeAnswer.getAndSet(() -> {}).run();
                            return Objects.requireNonNull(answer.get());
                        },
                        new RecordingControl(),
                        (host, _, _) -> new Taken.Answer(host, null, List.of())),
                new GranaryReconciler.Nodes(CordonedNodes.none(), DeviceNodes.unknown(), NodeZones.unknown(client)),
                new UserSecretKeeper(client, InstantSource.system()),
                new ReconcileMetrics(registry, InstantSource.system()),
                clock,
                new GranaryReconciler.Pace(pace, pace));
        reconciler = made;
        operator.register(
                made, overrides -> overrides.settingNamespace(namespace).withRetry(GranaryReconciler.retry()));
        operator.start();
        Granary granary = Samples.granary("social", "{superPeers: {min: 1}}");
        granary.getMetadata().setNamespace(namespace);
        granary.getMetadata().setUid(null);
        admin.resource(granary).create();
        createPod("super-peer", 0);
        IntStream.range(0, 3).forEach(ordinal -> createPod("storage", ordinal));
        seeTemplates();
        awaitStable();
        letReconcile(3);
    }

    @AfterEach
    void stop() {
        operator.stop();
        client.close();
    }

    @Test
    void nothingChanges_manyReconciles_nothingIsAsked() {
        requests.clear();
        letReconcile(10);
        assertThat(requests).isEmpty();
    }

    @Test
    void chunksCome_settledCluster_statusTellsOfThem() {
        answer.set(new ClusterObserver.Answer.Seen(view(25)));
        letReconcile(5);
        assertThat(chunks()).as("counts are written once a minute").isEqualTo(10);
        clockStep.set(61);
        await().atMost(Duration.ofSeconds(40)).until(() -> chunks() == 25);
    }

    /**
     * Stopped watches show nothing any more, and a look that is under way then sees a cluster without pods.
     */
    @Test
    void operatorStops_whileItLooksAtACluster_writesNothingOfIt() {
        Thread stop = Thread.ofPlatform().unstarted(() -> {
            Objects.requireNonNull(reconciler).stop();
            operator.stop();
        });
        beforeAnswer.set(() -> {
            answer.set(new ClusterObserver.Answer.Seen(view(25)));
            stop.start();
            sleep(Duration.ofSeconds(2));
        });
        await().atMost(Duration.ofSeconds(40)).until(() -> stop.getState() == Thread.State.TERMINATED);
        assertThat(progressing()).isEqualTo("Stable");
    }

    private static void sleep(Duration duration) {
        try {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A rollout must not look finished before it has begun: a script that waits for the resource would continue at
     * once.
     */
    @Test
    void templateChanges_untilTheControllerOfStatefulSetsHasSeenIt_nobodySaysStable() {
        long generation = change("{storagePeers: {resources: {requests: {cpu: 150m}}},"
                + " superPeers: {min: 1, resources: {requests: {cpu: 150m}}}}");
        await().atMost(Duration.ofSeconds(40)).until(() -> observedGeneration() == generation);
        assertThat(progressing()).isEqualTo("TemplateChanged");
        letReconcile(3);
        assertThat(progressing()).isEqualTo("TemplateChanged");

        // The template of the storage peers follows once the super-peers run theirs.
        seeTemplate("super-peer", "r1");
        await().atMost(Duration.ofSeconds(40)).until(() -> asksFor("storage", "cpu", "150m"));
        assertThat(progressing()).isEqualTo("TemplateChanged");
        letReconcile(3);
        assertThat(progressing()).isEqualTo("TemplateChanged");

        seeTemplate("storage", "r1");
        awaitStable();
    }

    private boolean asksFor(String component, String resource, String quantity) {
        ResourceRequirements resources = set(component)
                .require()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getResources();
        return quantity.equals(String.valueOf(resources.getRequests().get(resource)));
    }

    /** No pod stops for more memory (ADR 0147). */
    @Test
    void memoryIsRaised_podsAreLikeTheNewestButForIt_growAndAreNotReplaced() {
        Map<String, String> annotations =
                set("storage").get().getSpec().getTemplate().getMetadata().getAnnotations();
        List<Pod> before = storagePods();
        before.forEach(pod -> Writes.untilTaken(() -> admin.resource(pod).edit(old -> new PodBuilder(old)
                .editMetadata()
                .addToAnnotations(annotations)
                .endMetadata()
                .build())));
        change("{superPeers: {min: 1}, storagePeers: {memory: 3Gi}}");
        await().atMost(Duration.ofSeconds(40)).until(() -> limit(set("storage")
                        .get()
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getResources())
                .equals("3Gi"));
        seeTemplate("storage", "r2");
        await().atMost(Duration.ofSeconds(40))
                .untilAsserted(() -> assertThat(storagePods()).allSatisfy(pod -> assertThat(
                                limit(pod.getSpec().getContainers().getFirst().getResources()))
                        .isEqualTo("3Gi")));
        await().atMost(Duration.ofSeconds(40))
                .until(() -> Objects.requireNonNullElse(current().getStatus().stops(), List.<StopStatus>of()).stream()
                        .map(StopStatus::phase)
                        .toList()
                        .equals(List.of("Growing", "Growing", "Growing")));

        storagePods().forEach(this::playKubelet);
        awaitStable();
        assertThat(storagePods())
                .extracting(pod -> pod.getMetadata().getUid())
                .isEqualTo(
                        before.stream().map(pod -> pod.getMetadata().getUid()).toList());
    }

    /** Plays the kubelet, which gives a pod the resources that it asks for. */
    private void playKubelet(Pod pod) {
        Writes.untilTaken(() -> admin.resource(pod).editStatus(old -> {
            old.getStatus()
                    .getContainerStatuses()
                    .getFirst()
                    .setResources(old.getSpec().getContainers().getFirst().getResources());
            return old;
        }));
    }

    private static String limit(ResourceRequirements resources) {
        return String.valueOf(resources.getLimits().get("memory"));
    }

    /** Volumes that have grown once are watched, not asked for. */
    @Test
    void volumesHaveGrown_manyReconciles_nothingIsAsked() {
        PersistentVolumeClaim claim = Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata:
                  name: data-social-storage-0
                  namespace: %s
                  labels:
                    app.kubernetes.io/component: storage
                    app.kubernetes.io/managed-by: granary-operator
                    granary.dev/cluster: social
                spec:
                  accessModes: [ReadWriteOnce]
                  volumeName: one
                  resources: {requests: {storage: 20Gi}}
                status: {phase: Bound, capacity: {storage: 20Gi}}
                """.formatted(namespace), PersistentVolumeClaim.class);
        admin.resource(claim).create();
        admin.resource(claim).updateStatus();
        long generation = change("{superPeers: {min: 1}, storagePeers: {volume: {size: 20Gi}}}");
        await().atMost(Duration.ofSeconds(40)).until(() -> observedGeneration() == generation);
        seeTemplates();
        awaitStable();
        letReconcile(3);
        requests.clear();
        letReconcile(10);
        assertThat(requests).isEmpty();
    }

    @Test
    void specChanges_settledCluster_isDone() {
        change("{superPeers: {min: 1}, storagePeers: {replicas: 4}}");
        await().atMost(Duration.ofSeconds(40))
                .until(() -> admin.apps()
                                .statefulSets()
                                .inNamespace(namespace)
                                .withName("social-storage")
                                .get()
                                .getSpec()
                                .getReplicas()
                        == 4);
    }

    @Test
    void objectIsDeleted_settledCluster_comesBack() {
        admin.services().inNamespace(namespace).withName("social").delete();
        await().atMost(Duration.ofSeconds(40))
                .until(() -> admin.services()
                                .inNamespace(namespace)
                                .withName("social")
                                .get()
                        != null);
    }

    private static ClusterView view(int chunks) {
        List<ClusterView.StoragePeer> peers = IntStream.range(0, 3)
                .mapToObj(ordinal -> Samples.storagePeer(ordinal, "live", 1, "none"))
                .toList();
        return new ClusterView(
                CLUSTER_ID,
                Samples.ring(true),
                peers,
                new ClusterView.Totals(1, 3, 3, 9, chunks, 1000, 90, 4096, 1 << 30),
                Samples.zonesInSync());
    }

    /** Creates a pod as the controller of StatefulSets and a kubelet would leave it. */
    private void createPod(String component, int ordinal) {
        Pod pod = Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: social-%1$s-%2$d
                  namespace: %3$s
                  labels:
                    app.kubernetes.io/managed-by: granary-operator
                    app.kubernetes.io/component: %1$s
                    granary.dev/cluster: social
                    granary.dev/guarded: "true"
                    controller-revision-hash: r1
                spec:
                  nodeName: nowhere
                  containers:
                  - name: %1$s
                    image: x
                    resources: {requests: {cpu: 100m, memory: 2Gi}, limits: {memory: 2Gi}}
                status:
                  podIP: 127.0.0.1
                  conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]
                  containerStatuses:
                  - name: %1$s
                    image: x
                    imageID: x
                    ready: true
                    restartCount: 0
                    state: {running: {}}
                    resources: {requests: {cpu: 100m, memory: 2Gi}, limits: {memory: 2Gi}}
                """.formatted(component, ordinal, namespace), Pod.class);
        admin.resource(pod).create();
        admin.resource(pod).updateStatus();
    }

    /** Plays the controller of StatefulSets, which reports that it has seen a template. */
    private void seeTemplate(String component, String revision) {
        Resource<StatefulSet> set = set(component);
        await().atMost(Duration.ofSeconds(40)).until(() -> set.get() != null);
        Writes.untilTaken(() -> set.editStatus(old -> new StatefulSetBuilder(old)
                .withNewStatus()
                .withObservedGeneration(old.getMetadata().getGeneration())
                .withReplicas(old.getSpec().getReplicas())
                .withUpdateRevision(revision)
                .endStatus()
                .build()));
    }

    private void seeTemplates() {
        seeTemplate("super-peer", "r1");
        seeTemplate("storage", "r1");
    }

    private Resource<StatefulSet> set(String component) {
        return admin.apps().statefulSets().inNamespace(namespace).withName("social-" + component);
    }

    private List<Pod> storagePods() {
        return IntStream.range(0, 3)
                .mapToObj(ordinal -> admin.pods()
                        .inNamespace(namespace)
                        .withName("social-storage-" + ordinal)
                        .require())
                .toList();
    }

    /** @return the new generation */
    private long change(String spec) {
        return Writes.untilTaken(() -> admin.resources(Granary.class)
                        .inNamespace(namespace)
                        .withName("social")
                        .edit(old -> Samples.granary(old, spec)))
                .getMetadata()
                .getGeneration();
    }

    private long observedGeneration() {
        GranaryStatus status = current().getStatus();
        return status == null ? 0 : Objects.requireNonNullElse(status.observedGeneration(), 0L);
    }

    private Granary current() {
        return admin.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .require();
    }

    /** Fails with the whole condition, which says what the operator waits for. */
    private void awaitStable() {
        await().atMost(Duration.ofSeconds(40))
                .untilAsserted(() -> assertThat(conditions()).anySatisfy(condition -> assertThat(condition)
                        .extracting(Condition::getType, Condition::getReason)
                        .containsExactly("Progressing", "Stable")));
    }

    private List<Condition> conditions() {
        GranaryStatus status = current().getStatus();
        return status == null ? List.of() : Objects.requireNonNullElse(status.conditions(), List.of());
    }

    private String progressing() {
        return conditions().stream()
                .filter(condition -> condition.getType().equals("Progressing"))
                .map(Condition::getReason)
                .findFirst()
                .orElse("");
    }

    private long chunks() {
        return Objects.requireNonNull(
                        Objects.requireNonNull(current().getStatus()).chunks())
                .count();
    }

    private void letReconcile(int times) {
        double before = reconciles();
        await().atMost(Duration.ofSeconds(40)).until(() -> reconciles() >= before + times);
    }

    private double reconciles() {
        Double value = registry.getSampleValue(
                "granary_operator_reconciles_total",
                new String[] {"namespace", "name", "outcome"},
                new String[] {namespace, "social", "ok"});
        return value == null ? 0 : value;
    }
}
