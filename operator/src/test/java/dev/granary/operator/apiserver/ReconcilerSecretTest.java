package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus.SecretStatus;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A change of the secret on a real API server. The test plays the controller of StatefulSets and the kubelets. */
@Tag("api-server")
class ReconcilerSecretTest extends ReconcilerRig {
    private static final String NAME = "social-granary";

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
                spec: {nodeName: nowhere, containers: [{name: %1$s, image: x}]}
                status:
                  podIP: 127.0.0.1
                  conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]
                  containerStatuses: [{name: %1$s, image: x, imageID: x, ready: true, restartCount: 0,
                    state: {running: {}}}]
                """.formatted(component, ordinal, namespace), Pod.class);
        client.resource(pod).create();
        client.resource(pod).updateStatus();
    }

    private Resource<StatefulSet> set(String component) {
        return client.apps().statefulSets().inNamespace(namespace).withName("social-" + component);
    }

    /** Says that all pods of a role have the newest template, as after a rolling restart. */
    private void roll(String component, String secret) {
        awaitStatefulSet("social-" + component, set -> secret.equals(mounted(set)));
        Writes.untilTaken(() -> set(component).editStatus(old -> new StatefulSetBuilder(old)
                .withNewStatus()
                .withObservedGeneration(old.getMetadata().getGeneration())
                .withReplicas(old.getSpec().getReplicas())
                .withUpdateRevision("r1")
                .endStatus()
                .build()));
    }

    private static @Nullable String mounted(StatefulSet set) {
        return set.getSpec().getTemplate().getSpec().getVolumes().stream()
                .filter(volume -> Secrets.VOLUME.equals(volume.getName()))
                .map(volume -> volume.getSecret().getSecretName())
                .findFirst()
                .orElse(null);
    }

    private void ask(String wish) {
        Writes.untilTaken(() -> client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .edit(old -> {
                    old.getMetadata().setAnnotations(Map.of(Names.CHANGE_SECRET_ANNOTATION, wish));
                    return old;
                }));
    }

    private @Nullable Secret secret(String name) {
        return client.secrets().inNamespace(namespace).withName(name).get();
    }

    private String text(String name) {
        return Objects.requireNonNull(Secrets.textOf(Objects.requireNonNull(secret(name), name)));
    }

    private SecretStatus awaitPhase(String phase) {
        return Objects.requireNonNull(awaitStatus(status ->
                        status.secret() != null && status.secret().phase().equals(phase))
                .secret());
    }

    private void startsSettled() {
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        create("{superPeers: {min: 1}}");
        createPod("super-peer", 0);
        IntStream.range(0, 3).forEach(ordinal -> createPod("storage", ordinal));
        roll("super-peer", NAME);
        roll("storage", NAME);
        awaitStatus(status -> isTrue(status, "Ready") && hasReason(status, "Progressing", "Stable"));
    }

    @Test
    void changeSecret_podsTakeEachTemplate_secretIsAnotherAfterThreeRollingRestarts() {
        startsSettled();
        assertThat(awaitPhase("Steady").nodesName()).isEqualTo(NAME);
        String old = text(NAME);
        ask("now");
        awaitPhase("Accepting");
        assertThat(text(NAME + "-nodes-1")).startsWith(old + "\n");
        String fresh = text(NAME + "-nodes-1").lines().toList().getLast();
        assertThat(mounted(set("storage").require()))
                .as("super-peers are first")
                .isEqualTo(NAME);
        roll("super-peer", NAME + "-nodes-1");
        roll("storage", NAME + "-nodes-1");
        awaitPhase("Proving");
        assertThat(text(NAME + "-nodes-2")).isEqualTo(fresh + "\n" + old);
        assertThat(text(NAME)).isEqualTo(fresh);
        roll("super-peer", NAME + "-nodes-2");
        roll("storage", NAME + "-nodes-2");
        awaitPhase("Ending");
        roll("super-peer", NAME + "-nodes-3");
        roll("storage", NAME + "-nodes-3");
        assertThat(awaitPhase("Steady").record()).isEqualTo("1 Steady now");
        assertThat(text(NAME + "-nodes-3")).isEqualTo(text(NAME)).isEqualTo(fresh);
        assertThat(secret(NAME + "-nodes-1")).isNull();
        assertThat(secret(NAME + "-nodes-2")).isNull();
        awaitStatus(status -> hasReason(status, "Progressing", "Stable"));
        assertThat(events()).contains("ChangingSecret", "SecretChanged");
        assertThat(set("storage").require().getMetadata().getAnnotations())
                .containsEntry(Names.SECRET_ANNOTATION, "1 Steady now");
    }

    @Test
    void changeSecret_statefulSetsAreDeletedInTheMiddle_theStatusKnowsThePhase() {
        startsSettled();
        ask("now");
        roll("super-peer", NAME + "-nodes-1");
        roll("storage", NAME + "-nodes-1");
        awaitPhase("Proving");
        String both = text(NAME + "-nodes-2");
        set("super-peer").delete();
        set("storage").delete();
        roll("super-peer", NAME + "-nodes-2");
        roll("storage", NAME + "-nodes-2");
        awaitPhase("Ending");
        assertThat(text(NAME + "-nodes-3")).isEqualTo(both.lines().findFirst().orElseThrow());
    }
}
