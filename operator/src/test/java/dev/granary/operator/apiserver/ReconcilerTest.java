package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.PodMonitors;
import dev.granary.operator.build.StatefulSets;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.reconcile.CordonedNodes;
import dev.granary.operator.reconcile.DeviceNodes;
import dev.granary.operator.reconcile.GranaryReconciler;
import dev.granary.operator.reconcile.NodeZones;
import dev.granary.operator.reconcile.ReconcileMetrics;
import dev.granary.operator.status.StatusBuilder;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reconciler with a real API server; the test gives the answers of the super-peers. */
@Tag("api-server")
class ReconcilerTest {
    private static final String POD_MONITOR_CRD = """
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
    private static final String CLUSTER_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

    private final KubernetesClient client = ApiServer.get().client();
    private final AtomicReference<ClusterObserver.Answer> answer =
            new AtomicReference<>(new ClusterObserver.Answer.Unreachable("not up"));
    private final AtomicLong clockStep = new AtomicLong();
    private final InstantSource clock = () -> Instant.now().plusSeconds(clockStep.get());
    private final RecordingControl control = new RecordingControl();
    private final CollectorRegistry registry = new CollectorRegistry();
    private String namespace = "";
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
                        _ -> Objects.requireNonNull(answer.get()),
                        control,
                        new GranaryReconciler.Nodes(
                                CordonedNodes.none(), DeviceNodes.of(client, clock), NodeZones.of(client)),
                        new ReconcileMetrics(registry, InstantSource.system()),
                        clock,
                        new GranaryReconciler.Pace(pace, pace)),
                overrides -> overrides.settingNamespace(namespace).withRetry(GranaryReconciler.retry()));
        started.start();
        operator = started;
    }

    @AfterEach
    void stopOperator() {
        if (operator != null) {
            operator.stop();
        }
    }

    @Test
    void create_emptySpec_makesOwnedObjectsEventsAndHonestStatus() {
        Granary granary = create("{}");
        StatefulSet storage = awaitStatefulSet("social-storage", set -> true);
        assertThat(storage.getSpec().getReplicas()).isEqualTo(3);
        assertThat(storage.getMetadata().getOwnerReferences()).singleElement().satisfies(owner -> assertThat(
                        owner.getUid())
                .isEqualTo(granary.getMetadata().getUid()));
        GranaryStatus status = awaitStatus(now -> now.conditions() != null);
        assertCondition(status, "Ready", "False", "WaitingForSuperPeers");
        assertCondition(status, "Progressing", "True", "StartingSuperPeers");
        assertCondition(status, "Replicated", "Unknown", "SuperPeersUnreachable");
        assertThat(status.observedGeneration()).isEqualTo(1);
        assertThat(events()).contains("Created");
        assertThat(current().getMetadata().getFinalizers()).isEmpty();
    }

    @Test
    void superPeerAnswers_newCluster_idIsRecordedAndBootstrapEnds() {
        create("{superPeers: {min: 1}}");
        awaitConfig(file -> file.contains("ring.bootstrap=true"));
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        assertThat(awaitStatus(now -> now.clusterId() != null).clusterId()).isEqualTo(CLUSTER_ID);
        awaitConfig(file -> file.contains("ring.bootstrap=false"));
        awaitStatefulSet("social-super-peer", set -> CLUSTER_ID.equals(annotation(set)));
        GranaryStatus status = awaitStatus(now -> isTrue(now, "Ready"));
        assertThat(status.summary()).isNotNull();
        assertThat(status.summary().peers()).isEqualTo("3/3");
        assertThat(events()).contains("ClusterFormed", "Ready");
    }

    @Test
    void statusIsLost_clusterFormedBefore_idComesBackAndNothingBootstraps() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatefulSet("social-super-peer", set -> CLUSTER_ID.equals(annotation(set)));
        answer.set(new ClusterObserver.Answer.Unreachable("gone"));
        wipeStatus();
        awaitStatus(now -> CLUSTER_ID.equals(now.clusterId()));
        awaitConfig(file -> file.contains("ring.bootstrap=false"));
        assertCondition(awaitStatus(now -> now.conditions() != null), "Degraded", "True", "SuperPeersUnreachable");
    }

    private void wipeStatus() {
        Granary wiped = current();
        wiped.setStatus(null);
        wiped.getMetadata().setResourceVersion(null);
        Writes.untilTaken(() -> client.resource(wiped).updateStatus());
    }

    @Test
    void rdmaAuto_nodesGetEnoughDevices_areAskedFor() {
        String resource = "rdma/" + namespace;
        create("{superPeers: {min: 1}, rdma: {mode: auto, resourceName: " + resource + "}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        StatefulSet without = awaitStatefulSet("social-storage", set -> true);
        assertThat(without.getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getResources()
                        .getLimits())
                .doesNotContainKey(resource);
        assertCondition(awaitStatus(now -> isTrue(now, "Ready")), "RdmaReady", "False", "NoDevices");
        createNode("with-" + namespace, resource, 3);
        clockStep.addAndGet(60);
        // The template follows once the super-peers are ready, which this test does not play.
        awaitStatus(now -> hasReason(now, "RdmaReady", "TransportNotInThisVersion"));
    }

    private void createNode(String name, String resource, int devices) {
        Node node =
                new NodeBuilder().withNewMetadata().withName(name).endMetadata().build();
        client.resource(node).create();
        client.resource(new NodeBuilder(node)
                        .withNewStatus()
                        .addToCapacity(resource, new Quantity(Integer.toString(devices)))
                        .addToAllocatable(resource, new Quantity(Integer.toString(devices)))
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())
                .updateStatus();
    }

    @Test
    void hibernate_onAndOff_podsGoOnceAllAreParkedAndComeBack() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        change("{superPeers: {min: 1}, hibernate: true}");
        awaiting().until(() -> control.calls().contains("sleep REFUSE_CHANGES"));
        assertThat(control.calls()).doesNotContain("sleep PARK");
        control.sleepersDone(3);
        awaiting().until(() -> control.calls().contains("sleep PARK"));
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isEqualTo(3);
        answer.set(new ClusterObserver.Answer.Seen(parked()));
        awaitStatefulSet("social-super-peer", set -> set.getSpec().getReplicas() == 0);
        GranaryStatus asleep = awaitStatus(now -> hasReason(now, "Ready", "Asleep"));
        assertThat(Objects.requireNonNull(asleep.storagePeers()).target()).isEqualTo(3);
        answer.set(new ClusterObserver.Answer.Unreachable("asleep"));
        wipeStatus();
        change("{superPeers: {min: 1}, hibernate: false}");
        awaitStatefulSet("social-super-peer", set -> set.getSpec().getReplicas() == 1);
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isZero();
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatefulSet("social-storage", set -> set.getSpec().getReplicas() == 3);
        awaitStatus(now -> isTrue(now, "Ready") && now.hibernation() == null);
    }

    /** All storage peers, with their memory on their disks. */
    private static ClusterView parked() {
        ClusterView view = view(CLUSTER_ID, 3, 3);
        List<ClusterView.StoragePeer> peers = IntStream.range(0, 3)
                .mapToObj(ordinal -> Samples.storagePeer(ordinal, "parked", 1, "none"))
                .toList();
        return new ClusterView(view.clusterId(), view.ring(), peers, view.totals(), view.zones());
    }

    @Test
    void paused_onAndOff_nothingIsDoneInBetweenAndTheStatusSaysSo() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        change("{superPeers: {min: 1}, paused: true}");
        assertThat(awaitStatus(now -> isTrue(now, "Paused")).clusterId()).isEqualTo(CLUSTER_ID);
        change("{superPeers: {min: 1}, storagePeers: {replicas: 4}, paused: true}");
        long generation = current().getMetadata().getGeneration();
        GranaryStatus paused = awaitStatus(now -> StatusBuilder.isPaused(now, generation));
        assertThat(paused.observedGeneration()).isLessThan(generation);
        double before = reconciles();
        client.services().inNamespace(namespace).withName("social").delete();
        awaiting().until(() -> reconciles() > before);
        assertThat(client.services().inNamespace(namespace).withName("social").get())
                .isNull();
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isEqualTo(3);
        change("{superPeers: {min: 1}, storagePeers: {replicas: 4}}");
        awaitStatefulSet("social-storage", set -> set.getSpec().getReplicas() == 4);
        awaitStatus(now -> !isTrue(now, "Paused"));
    }

    @Test
    void create_volumesOfAnEarlierResourceAreThere_startsAllPodsThatNeedThem() {
        for (String volume : List.of("super-peer-0", "super-peer-2", "storage-3")) {
            PersistentVolumeClaim claim = Serialization.unmarshal(
                    """
                    apiVersion: v1
                    kind: PersistentVolumeClaim
                    metadata:
                      name: data-social-%1$s
                      namespace: %2$s
                      labels:
                        app.kubernetes.io/name: granary
                        app.kubernetes.io/instance: social
                        app.kubernetes.io/component: %3$s
                    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
                    """.formatted(volume, namespace, volume.substring(0, volume.lastIndexOf('-'))),
                    PersistentVolumeClaim.class);
            client.resource(claim).create();
        }
        create("{}");
        assertThat(awaitStatefulSet("social-super-peer", set -> true).getSpec().getReplicas())
                .isEqualTo(3);
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isEqualTo(4);
    }

    @Test
    void networkPolicy_switchedOnAndOff_comesAndGoes() {
        create("{superPeers: {min: 1}, networkPolicy: {enabled: true}}");
        awaiting().until(() -> networkPolicy() != null);
        change("{superPeers: {min: 1}, networkPolicy: {enabled: false}}");
        awaiting().until(() -> networkPolicy() == null);
    }

    private @Nullable NetworkPolicy networkPolicy() {
        return client.network()
                .networkPolicies()
                .inNamespace(namespace)
                .withName("social-granary")
                .get();
    }

    @Test
    void podMonitor_crdMissingThenThere_saidThenMadeThenTakenAway() {
        create("{superPeers: {min: 1}, monitoring: {podMonitor: true}}");
        assertCondition(awaitStatus(now -> now.conditions() != null), "Monitored", "False", "NoPodMonitorCrd");
        CustomResourceDefinition crd = Serialization.unmarshal(POD_MONITOR_CRD, CustomResourceDefinition.class);
        client.resource(crd).create();
        try {
            awaiting().until(() -> {
                clockStep.addAndGet(120);
                return isTrue(current().getStatus(), "Monitored") && podMonitor() != null;
            });
            change("{superPeers: {min: 1}, monitoring: {podMonitor: false}}");
            awaiting().until(() -> podMonitor() == null);
        } finally {
            client.resource(crd).delete();
        }
    }

    private @Nullable GenericKubernetesResource podMonitor() {
        return client.genericKubernetesResources(PodMonitors.API_VERSION, PodMonitors.KIND)
                .inNamespace(namespace)
                .withName("social-granary")
                .get();
    }

    @Test
    void superPeersOfAnotherCluster_idRecorded_saidAndNotAdopted() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> CLUSTER_ID.equals(now.clusterId()));
        answer.set(new ClusterObserver.Answer.Seen(view("another", 3, 3)));
        GranaryStatus status = awaitStatus(now -> isTrue(now, "Degraded"));
        assertCondition(status, "Degraded", "True", "ClusterIdMismatch");
        assertThat(status.clusterId()).isEqualTo(CLUSTER_ID);
    }

    @Test
    void nothingChanges_manyReconciles_nothingIsWritten() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        awaitStatefulSet("social-super-peer", set -> CLUSTER_ID.equals(annotation(set)));
        double countBefore = reconciles();
        awaiting().until(() -> reconciles() > countBefore + 2);
        String versions = versions();
        double count = reconciles();
        awaiting().until(() -> reconciles() > count + 5);
        assertThat(versions()).isEqualTo(versions);
    }

    @Test
    void someoneChangesOrDeletesObjects_theyComeBack() {
        create("{superPeers: {min: 1}}");
        awaitStatefulSet("social-storage", set -> true);
        awaiting()
                .until(() -> client.services()
                                .inNamespace(namespace)
                                .withName("social")
                                .get()
                        != null);
        client.services().inNamespace(namespace).withName("social").delete();
        Writes.untilTaken(() -> client.apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName("social-super-peer")
                .edit(set -> {
                    set.getSpec()
                            .getTemplate()
                            .getSpec()
                            .getContainers()
                            .getFirst()
                            .setImage("evil:1");
                    return set;
                }));
        awaitStatefulSet("social-super-peer", set -> image(set).equals("example.org/granary:1"));
        awaiting()
                .until(() -> client.services()
                                .inNamespace(namespace)
                                .withName("social")
                                .get()
                        != null);
    }

    @Test
    void scaleOut_moreReplicas_statefulSetGrows() {
        create("{superPeers: {min: 1}, storagePeers: {replicas: 3}}");
        awaitStatefulSet("social-storage", set -> set.getSpec().getReplicas() == 3);
        scale(5);
        awaitStatefulSet("social-storage", set -> set.getSpec().getReplicas() == 5);
    }

    @Test
    void scaleIn_fewerReplicas_podsGoOnlyWhenTheirPeersOwnNothing() {
        create("{superPeers: {min: 1}, storagePeers: {replicas: 3}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        scale(2);
        awaiting().until(() -> control.calls().contains("drain 0x8004"));
        GranaryStatus status = awaitStatus(now -> hasReason(now, "Progressing", "ScalingIn"));
        assertThat(Objects.requireNonNull(status.stops())).singleElement().satisfies(stop -> assertThat(stop.phase())
                .isEqualTo("Draining"));
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isEqualTo(3);
        answer.set(new ClusterObserver.Answer.Seen(drained(2)));
        awaitStatefulSet("social-storage", set -> set.getSpec().getReplicas() == 2);
        assertThat(events()).contains("DrainStarted");
    }

    @Test
    void scaleIn_reverted_drainIsAbortedAndNoPodGoes() {
        create("{superPeers: {min: 1}, storagePeers: {replicas: 3}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        createPod("social-storage-2", true);
        scale(2);
        awaiting().until(() -> control.calls().contains("drain 0x8004"));
        scale(3);
        answer.set(new ClusterObserver.Answer.Seen(drained(2)));
        awaiting().until(() -> control.calls().contains("abort 0x8004"));
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isEqualTo(3);
    }

    @Test
    void scaleIn_superPeersRefuse_isBlockedWithTheirReason() {
        create("{superPeers: {min: 1}, storagePeers: {replicas: 3}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        control.refuse("the other storage peers have 5 bytes too little room");
        scale(2);
        GranaryStatus status = awaitStatus(now -> hasReason(now, "Progressing", "StopBlocked"));
        assertThat(condition(status, "Progressing").getMessage()).contains("too little room");
        assertThat(awaitStatefulSet("social-storage", set -> true).getSpec().getReplicas())
                .isEqualTo(3);
        awaiting().until(() -> events().contains("StopBlocked"));
    }

    @Test
    void statefulSet_scaledByHand_goesBack() {
        create("{superPeers: {min: 1}, storagePeers: {replicas: 3}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        Writes.untilTaken(() -> client.apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName("social-storage")
                .scale(1));
        Writes.untilTaken(() -> client.apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName("social-super-peer")
                .scale(0));
        awaitStatefulSet("social-storage", set -> set.getSpec().getReplicas() == 3);
        awaitStatefulSet("social-super-peer", set -> set.getSpec().getReplicas() == 1);
    }

    private static ClusterView drained(int ordinal) {
        ClusterView all = view(CLUSTER_ID, 3, 3);
        List<ClusterView.StoragePeer> peers = all.storagePeers().stream()
                .map(peer ->
                        peer.name().endsWith("-" + ordinal) ? Samples.storagePeer(ordinal, "live", 1, "done") : peer)
                .toList();
        return new ClusterView(all.clusterId(), all.ring(), peers, all.totals(), all.zones());
    }

    /** Creates a pod as the controller of StatefulSets and a kubelet would leave it. */
    private void createPod(String name, boolean ready) {
        Pod pod = Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: %s
                  labels:
                    app.kubernetes.io/managed-by: granary-operator
                    app.kubernetes.io/component: storage
                    granary.dev/cluster: social
                    granary.dev/guarded: "true"
                spec: {containers: [{name: storage, image: x}]}
                status:
                  podIP: 127.0.0.1
                  conditions: [{type: Ready, status: "%s", lastTransitionTime: "2026-01-01T00:00:00Z"}]
                """.formatted(name, namespace, ready ? "True" : "False"), Pod.class);
        client.resource(pod).create();
        client.resource(pod).updateStatus();
    }

    @ParameterizedTest
    @CsvSource({"'topology.kubernetes.io/zone: eu-1a', eu-1a", "'kubernetes.io/os: linux', none"})
    void storagePodGetsANode_isToldTheZoneOfTheNode(String label, String zone) {
        String name = "node-" + namespace;
        Node node = Serialization.unmarshal(
                "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + label + "}}}",
                Node.class);
        client.resource(node).create();
        try {
            create("{}");
            Pod pod = Serialization.unmarshal("""
                    apiVersion: v1
                    kind: Pod
                    metadata:
                      name: social-storage-0
                      namespace: %s
                      labels:
                        app.kubernetes.io/managed-by: granary-operator
                        app.kubernetes.io/component: storage
                        granary.dev/cluster: social
                    spec:
                      nodeName: %s
                      containers: [{name: storage, image: x}]
                      volumes: [{name: zone, downwardAPI: {}}]
                    """.formatted(namespace, name), Pod.class);
            client.resource(pod).create();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(
                            client.resource(pod).get().getMetadata().getAnnotations())
                    .containsEntry("granary.dev/zone", zone));
        } finally {
            client.resource(node).delete();
        }
    }

    @Test
    void foreignObjectOfTheSameName_isNotTouched() {
        client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName("social")
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewSpec()
                        .addNewPort()
                        .withPort(80)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
        create("{superPeers: {min: 1}}");
        GranaryStatus status = awaitStatus(now -> isTrue(now, "Degraded"));
        assertCondition(status, "Degraded", "True", "NameTaken");
        assertCondition(status, "Stalled", "True", "NameTaken");
        assertThat(status.observedGeneration()).isNull();
        awaiting().until(() -> reconciles("error") > 0);
        assertThat(reconciles()).isZero();
        assertThat(client.services()
                        .inNamespace(namespace)
                        .withName("social")
                        .get()
                        .getSpec()
                        .getPorts()
                        .getFirst()
                        .getPort())
                .isEqualTo(80);
    }

    @Test
    void volume_grows_claimGrowsAndTemplateStays() {
        client.resource(Serialization.unmarshal("""
                        apiVersion: storage.k8s.io/v1
                        kind: StorageClass
                        metadata: {name: %s}
                        provisioner: example.org/none
                        allowVolumeExpansion: true
                        """.formatted(namespace), StorageClass.class))
                .create();
        create("{superPeers: {min: 1}, storagePeers: {volume: {size: 10Gi, storageClassName: " + namespace + "}}}");
        awaitStatefulSet("social-storage", set -> true);
        PersistentVolumeClaim claim = Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata:
                  name: data-social-storage-0
                  namespace: %1$s
                  labels:
                    app.kubernetes.io/name: granary
                    app.kubernetes.io/instance: social
                    app.kubernetes.io/component: storage
                    app.kubernetes.io/managed-by: granary-operator
                    granary.dev/cluster: social
                spec:
                  accessModes: [ReadWriteOnce]
                  storageClassName: %1$s
                  volumeName: one
                  resources: {requests: {storage: 10Gi}}
                status: {phase: Bound, capacity: {storage: 10Gi}}
                """.formatted(namespace), PersistentVolumeClaim.class);
        client.resource(claim).create();
        client.resource(claim).updateStatus();
        change("{superPeers: {min: 1}, storagePeers: {volume: {size: 20Gi, storageClassName: " + namespace + "}}}");
        awaiting().until(() -> new Quantity("20Gi")
                .equals(client.resource(claim)
                        .get()
                        .getSpec()
                        .getResources()
                        .getRequests()
                        .get("storage")));
        awaiting().until(() -> events().contains("VolumeGrown"));
        awaitStatus(now -> hasReason(now, "VolumesGrown", "Resizing"));
        Writes.untilTaken(() -> client.resource(claim).editStatus(old -> {
            old.getStatus().getCapacity().put("storage", new Quantity("20Gi"));
            return old;
        }));
        awaitStatus(now -> hasReason(now, "VolumesGrown", "AllGrown"));
        assertThat(awaitStatefulSet("social-storage", set -> true)
                        .getSpec()
                        .getVolumeClaimTemplates()
                        .getFirst()
                        .getSpec()
                        .getResources()
                        .getRequests())
                .containsEntry("storage", new Quantity("10Gi"));
        assertThat(events()).doesNotContain("ReconcileFailed");
        client.storage().v1().storageClasses().withName(namespace).delete();
    }

    /** The resource's schema does not say which operators there are; the StatefulSet's validation does. */
    private static String withNodeAffinity(String operator) {
        return """
                {superPeers: {min: 1, pod: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
                  {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: %s}]}]}}}}}}
                """.formatted(operator);
    }

    @Test
    void newSpecIsRefused_readyCluster_keepsItsGenerationUntilItIsMended() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        long applied =
                Objects.requireNonNull(awaitStatus(now -> isTrue(now, "Ready")).observedGeneration());
        change(withNodeAffinity("Bogus"));
        GranaryStatus refused = awaitStatus(now -> isTrue(now, "Stalled"));
        assertCondition(refused, "Ready", "True", "AllPeersLive");
        assertThat(condition(refused, "Stalled").getMessage()).contains("Bogus");
        assertThat(refused.observedGeneration()).isEqualTo(applied);
        change(withNodeAffinity("Exists"));
        long mended = current().getMetadata().getGeneration();
        awaitStatus(now -> Objects.equals(now.observedGeneration(), mended) && !isTrue(now, "Stalled"));
    }

    @Test
    void apiServerRefuses_manyTimes_saidThenRepairedWhenItNoLongerDoes() {
        deny(namespace);
        try {
            create("{superPeers: {min: 1}}");
            GranaryStatus status = awaitStatus(now -> isTrue(now, "Degraded"));
            assertCondition(status, "Degraded", "True", "ReconcileFailed");
            assertThat(condition(status, "Degraded").getMessage()).contains("no StatefulSets today");
            // The framework's own limit would be five attempts.
            awaiting().until(() -> reconciles("error") > 6);
        } finally {
            allow(namespace);
        }
        awaitStatefulSet("social-storage", set -> true);
        awaitStatus(now -> !isTrue(now, "Degraded"));
    }

    @Test
    void image_changes_templateChangesAndPodsWait() {
        create("{superPeers: {min: 1}, image: \"example.org/granary:2\"}");
        StatefulSet set = awaitStatefulSet("social-storage", s -> image(s).equals("example.org/granary:2"));
        assertThat(set.getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
    }

    @Test
    void delete_resource_metricsForgetIt() {
        create("{superPeers: {min: 1}}");
        awaiting().until(() -> reconciles() > 0);
        client.resource(current()).delete();
        awaiting().until(() -> registry.getSampleValue("granary_operator_resources") == 0);
        assertThat(registry.getSampleValue(
                        "granary_operator_last_success_timestamp_seconds",
                        new String[] {"namespace", "name"},
                        new String[] {namespace, "social"}))
                .isNull();
    }

    private Granary create(String spec) {
        Granary granary = Samples.granary("social", spec);
        granary.getMetadata().setNamespace(namespace);
        granary.getMetadata().setUid(null);
        granary.getMetadata().setGeneration(null);
        return client.resource(granary).create();
    }

    private Granary current() {
        return client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .require();
    }

    private void change(String spec) {
        Writes.untilTaken(() -> client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .edit(old -> Samples.granary(old, spec)));
    }

    private void scale(int replicas) {
        Writes.untilTaken(() -> client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .scale(replicas));
    }

    private static ClusterView view(String clusterId, int peers, int live) {
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

    private StatefulSet awaitStatefulSet(String name, Predicate<StatefulSet> condition) {
        return awaiting()
                .until(
                        () -> client.apps()
                                .statefulSets()
                                .inNamespace(namespace)
                                .withName(name)
                                .get(),
                        set -> set != null && condition.test(set));
    }

    private GranaryStatus awaitStatus(Predicate<GranaryStatus> condition) {
        return awaiting().until(() -> current().getStatus(), status -> status != null && condition.test(status));
    }

    private void awaitConfig(Predicate<String> condition) {
        awaiting().until(() -> {
            ConfigMap map = client.configMaps()
                    .inNamespace(namespace)
                    .withName("social-granary")
                    .get();
            return map != null && condition.test(map.getData().get("social-super-peer-0.properties"));
        });
    }

    private List<String> events() {
        return client.v1().events().inNamespace(namespace).list().getItems().stream()
                .map(Event::getReason)
                .toList();
    }

    private double reconciles() {
        return reconciles("ok");
    }

    private double reconciles(String outcome) {
        Double value = registry.getSampleValue(
                "granary_operator_reconciles_total",
                new String[] {"namespace", "name", "outcome"},
                new String[] {namespace, "social", outcome});
        return value == null ? 0 : value;
    }

    /** Makes the API server refuse all StatefulSets of a namespace. The refusals begin after a moment. */
    private void deny(String name) {
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

    private void allow(String name) {
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
    private String versions() {
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

    private static @Nullable String annotation(StatefulSet set) {
        return set.getMetadata().getAnnotations() == null
                ? null
                : set.getMetadata().getAnnotations().get("granary.dev/cluster-id");
    }

    private static String image(StatefulSet set) {
        return set.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
    }

    private static Condition condition(GranaryStatus status, String type) {
        assertThat(status.conditions()).isNotNull();
        return status.conditions().stream()
                .filter(c -> c.getType().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isTrue(GranaryStatus status, String type) {
        return status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(c -> c.getType().equals(type) && c.getStatus().equals("True"));
    }

    private static boolean hasReason(GranaryStatus status, String type, String reason) {
        return condition(status, type).getReason().equals(reason);
    }

    private static void assertCondition(GranaryStatus status, String type, String value, String reason) {
        assertThat(condition(status, type)).satisfies(condition -> {
            assertThat(condition.getStatus()).isEqualTo(value);
            assertThat(condition.getReason()).isEqualTo(reason);
        });
    }

    private static ConditionFactory awaiting() {
        return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100));
    }
}
