package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.PodMonitors;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.status.StatusBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("api-server")
class ReconcilerTest extends ReconcilerRig {

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
    void redis_switchedOnAndOff_itsServiceComesAndGoes() {
        create("{superPeers: {min: 1}, redis: {enabled: true}}");
        awaitStatefulSet(
                "social-storage",
                set -> set.getSpec().getTemplate().getSpec().getContainers().getFirst().getPorts().stream()
                        .anyMatch(port -> "redis".equals(port.getName())));
        awaiting().until(() -> redisService() != null);
        assertThat(Objects.requireNonNull(
                                awaitStatus(now -> now.endpoints() != null).endpoints())
                        .redis())
                .isEqualTo("social-redis." + namespace + ".svc:6379");
        change("{superPeers: {min: 1}, redis: {enabled: true, service: {annotations: {a: b}}}}");
        awaiting().until(() -> Map.of("a", "b")
                .equals(Objects.requireNonNull(redisService()).getMetadata().getAnnotations()));
        change("{superPeers: {min: 1}, redis: {enabled: false}}");
        awaiting().until(() -> redisService() == null);
    }

    private @Nullable Service redisService() {
        return client.services().inNamespace(namespace).withName("social-redis").get();
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
}
