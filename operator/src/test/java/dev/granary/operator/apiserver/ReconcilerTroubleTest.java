package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.observe.ClusterObserver;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What others do to a cluster's objects, and what cannot be applied. */
@Tag("api-server")
class ReconcilerTroubleTest extends ReconcilerRig {

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

    /** The resource's schema does not describe containers; what the API server says of the pods is told instead. */
    @Test
    void sidecarIsRefused_saidUntilItIsMended() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        change("{superPeers: {min: 1, pod: {sidecars: [{name: shipper, image: s, imagePullPolicy: Bogus}]}}}");
        GranaryStatus refused = awaitStatus(now -> isTrue(now, "Stalled"));
        assertThat(condition(refused, "Stalled").getMessage()).contains("Bogus");
        change("{superPeers: {min: 1, pod: {sidecars: [{name: shipper, image: s, ports: none}]}}}");
        awaitStatus(now -> isTrue(now, "Stalled")
                && condition(now, "Stalled").getMessage().contains("superPeers.pod.sidecars[0]"));
        change("{superPeers: {min: 1, pod: {sidecars: [{name: shipper, image: s, imagePull: Always}]}}}");
        awaitStatus(now ->
                isTrue(now, "Stalled") && condition(now, "Stalled").getMessage().contains("imagePull"));
        change("{superPeers: {min: 1, pod: {sidecars: [{name: shipper, image: s}]}}}");
        awaitStatefulSet(
                "social-super-peer",
                set -> set.getSpec().getTemplate().getSpec().getContainers().size() == 2);
        awaitStatus(now -> !isTrue(now, "Stalled") && !isTrue(now, "Degraded"));
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
    void someoneDeletesTheClientService_itComesBackWithItsAddress() {
        create("{superPeers: {min: 1}}");
        String former = awaitAddress();
        for (int i = 0; i < 5; i++) {
            String uid = service("social").getMetadata().getUid();
            client.services().inNamespace(namespace).withName("social").delete();
            awaiting()
                    .until(
                            () -> service("social"),
                            now -> now != null && !now.getMetadata().getUid().equals(uid));
            assertThat(service("social").getSpec().getClusterIP()).isEqualTo(former);
        }
        assertThat(service("social").getSpec().getPorts()).hasSize(4);
    }

    @Test
    void someoneTakesTheAddressOfADeletedService_itGetsAnotherOne() {
        create("{superPeers: {min: 1}}");
        String former = awaitAddress();
        change("{superPeers: {min: 1}, paused: true}");
        awaitStatus(now -> isTrue(now, "Paused"));
        client.services().inNamespace(namespace).withName("social").delete();
        awaiting().until(() -> takes(former));
        change("{superPeers: {min: 1}, paused: false}");
        awaiting().until(() -> service("social") != null);
        String other = service("social").getSpec().getClusterIP();
        assertThat(other).isNotEqualTo(former);
        awaiting().until(() -> other.equals(awaitAddress()));
        assertThat(events()).doesNotContain("ReconcileFailed");
    }

    @Test
    void volumesThatNoPodNeeds_areNamedUntilTheyAreGone() {
        create("{superPeers: {min: 1}, storagePeers: {replicas: 3}}");
        awaitStatus(now -> now.unusedVolumes() == null);
        List<PersistentVolumeClaim> claims = Stream.of("data-social-storage-2", "data-social-storage-3")
                .map(this::claim)
                .toList();
        claims.forEach(claim -> client.resource(claim).create());
        GranaryStatus status = awaitStatus(now -> now.unusedVolumes() != null);
        assertThat(status.unusedVolumes())
                .isEqualTo(new GranaryStatus.UnusedVolumesStatus(
                        1, List.of(new GranaryStatus.UnusedVolumeStatus("data-social-storage-3", null))));
        client.resource(claims.getLast()).delete();
        awaitStatus(now -> now.unusedVolumes() == null);
    }

    private PersistentVolumeClaim claim(String name) {
        return Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata:
                  name: %s
                  namespace: %s
                  labels:
                    app.kubernetes.io/name: granary
                    app.kubernetes.io/instance: social
                    app.kubernetes.io/component: storage
                    app.kubernetes.io/managed-by: granary-operator
                    granary.dev/cluster: social
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
                """.formatted(name, namespace), PersistentVolumeClaim.class);
    }

    /** Returns the address of the client Service in the status, once it is there. */
    private String awaitAddress() {
        GranaryStatus status =
                awaitStatus(now -> now.endpoints() != null && now.endpoints().clientAddress() != null);
        return Objects.requireNonNull(Objects.requireNonNull(status.endpoints()).clientAddress());
    }

    private Service service(String name) {
        return client.services().inNamespace(namespace).withName(name).get();
    }

    private boolean takes(String address) {
        try {
            client.resource(new ServiceBuilder()
                            .withNewMetadata()
                            .withName("thief")
                            .withNamespace(namespace)
                            .endMetadata()
                            .withNewSpec()
                            .withClusterIP(address)
                            .addNewPort()
                            .withPort(80)
                            .endPort()
                            .endSpec()
                            .build())
                    .create();
            return true;
        } catch (KubernetesClientException notYetFree) {
            return false;
        }
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

    /** The resource's schema does not say which operators there are; the StatefulSet's validation does. */
    private static String withNodeAffinity(String operator) {
        return """
                {superPeers: {min: 1, pod: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
                  {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: %s}]}]}}}}}}
                """.formatted(operator);
    }
}
