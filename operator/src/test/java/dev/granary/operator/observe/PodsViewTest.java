package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodsViewTest {
    @Test
    void of_readyOutdatedAndTroubledPods_countsAndExplainsThem() {
        PodsView view = PodsView.of(
                List.of(
                        pod("s-10", "new", "{podIP: 10.0.0.10, conditions: [{type: Ready, status: \"True\"}]}"),
                        pod("s-2", "old", "{podIP: 10.0.0.2, conditions: [{type: Ready, status: \"False\"}]}"),
                        pod(
                                "s-3",
                                "new",
                                "{conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no rdma}]}"),
                        pod(
                                "s-4",
                                "new",
                                "{containerStatuses: [{name: storage, state: {waiting: {reason: CrashLoopBackOff,"
                                        + " message: back-off}}, lastState: {terminated: {exitCode: 1, reason: Error}}}]}"),
                        pod(
                                "s-5",
                                "new",
                                "{containerStatuses: [{name: storage, state: {waiting: {reason: ErrImagePull, message: gone}}}]}")),
                NewestTemplate.of("new"),
                Set.of("node-b"));
        assertThat(view.existing()).isEqualTo(5);
        assertThat(view.ready()).isEqualTo(1);
        assertThat(view.addresses()).containsExactly("10.0.0.2", "10.0.0.10");
        assertThat(view.outdated()).containsExactly("s-2");
        assertThat(view.pods())
                .filteredOn(pod -> pod.problem() != null && pod.problem().mayPass())
                .extracting(PodView::name)
                .containsExactly("s-3", "s-5");
        assertThat(view.unschedulable()).isTrue();
        assertThat(view.problems())
                .containsExactly(
                        "s-3 finds no node: no rdma",
                        "s-4: CrashLoopBackOff (ended with exit code 1, Error; kubectl logs --previous says why)",
                        "s-5: ErrImagePull (gone)");
    }

    /** While a cluster changes to HTTP with TLS, some of its pods have it. */
    @Test
    void of_podsWhoseProbesSayHttps_areAskedSo() {
        Pod secured = pod("s-0", "new", "{podIP: 10.0.0.1}");
        secured.setSpec(new PodSpecBuilder()
                .addNewContainer()
                .withName("storage")
                .withNewReadinessProbe()
                .withNewHttpGet()
                .withScheme("HTTPS")
                .endHttpGet()
                .endReadinessProbe()
                .endContainer()
                .build());
        PodsView view = PodsView.of(List.of(secured, pod("s-1", "new", "{podIP: 10.0.0.2}")), null, Set.of());
        assertThat(view.addresses()).containsExactly("10.0.0.1", "10.0.0.2");
        assertThat(view.secured()).containsExactly("10.0.0.1");
        assertThat(view.withNewTemplate().secured()).containsExactly("10.0.0.1");
    }

    @Test
    void of_podWithoutStatusOrRevision_isOnlyCounted() {
        PodsView view = PodsView.of(List.of(pod("s-0", "new", "{}")), null, Set.of());
        assertThat(view.existing()).isEqualTo(1);
        assertThat(view.revisionKnown()).isFalse();
        assertThat(view.pods()).singleElement().satisfies(pod -> {
            assertThat(pod.outdated()).isFalse();
            assertThat(pod.running()).isFalse();
            assertThat(pod.leave()).isNull();
        });
    }

    /** The statuses of containers come in the order of their names, so that of the process may be any. */
    @Test
    void of_podWithASidecar_isJudgedByItsProcess() {
        Pod pod = pod("s-0", "new", """
                {containerStatuses: [
                  {name: shipper, state: {running: {}}},
                  {name: storage, state: {waiting: {reason: ContainerCreating}}}]}
                """);
        pod.setSpec(new PodSpecBuilder()
                .addNewContainer()
                .withName("storage")
                .endContainer()
                .addNewContainer()
                .withName("shipper")
                .endContainer()
                .build());
        assertThat(PodsView.of(List.of(pod), null, Set.of()).pods().getFirst().running())
                .isFalse();
        pod.getStatus()
                .setInitContainerStatuses(List.of(Serialization.unmarshal(
                        "name: wait\nstate: {waiting: {reason: CrashLoopBackOff, message: back-off}}\n",
                        ContainerStatus.class)));
        assertThat(PodsView.of(List.of(pod), null, Set.of()).problems())
                .containsExactly("s-0: container wait CrashLoopBackOff (back-off)");
    }

    @Test
    void of_cordonedNodeAnnotationAndGuard_areSeen() {
        Pod cordoned = pod("s-0", "new", "{}");
        cordoned.setSpec(new PodSpecBuilder().withNodeName("node-b").build());
        Pod asked = pod("s-1", "new", "{}");
        asked.getMetadata().setAnnotations(Map.of("granary.dev/leave", "true"));
        asked.getMetadata().getLabels().put("granary.dev/guarded", "true");
        PodsView view = PodsView.of(List.of(cordoned, asked), NewestTemplate.of("new"), Set.of("node-b"));
        assertThat(view.pods())
                .extracting(PodView::leave)
                .containsExactly(PodView.Leave.NODE_CORDONED, PodView.Leave.REQUESTED);
        assertThat(view.pods()).extracting(PodView::guarded).containsExactly(false, true);
    }

    private static Pod pod(String name, String revision, String status) {
        return Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, labels: {controller-revision-hash: %s}}
                status: %s
                """.formatted(name, revision, status), Pod.class);
    }
}
