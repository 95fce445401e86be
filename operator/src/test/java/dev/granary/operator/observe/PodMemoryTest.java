package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodMemoryTest {
    private static final NewestTemplate NEWEST = new NewestTemplate("r2", "f", new Quantity("3Gi"));
    private static final String ASKED = "granary.dev/memory: 3Gi, granary.dev/memory-since: \"2026-01-01T00:00:00Z\"";

    @Test
    void olderRevision_onlyMemoryDiffers_canGrow() {
        PodView pod = look("r1", "", "2Gi", "2Gi", "");
        assertThat(pod.outdated()).isTrue();
        assertThat(pod.growth()).isEqualTo(new PodView.Growth("3Gi", null));
    }

    @Test
    void olderRevision_somethingElseDiffersToo_cannotGrow() {
        PodView pod = look(new NewestTemplate("r2", "g", new Quantity("3Gi")), "r1", "", "2Gi", "2Gi", "");
        assertThat(pod.outdated()).isTrue();
        assertThat(pod.growth()).isNull();
    }

    @Test
    void olderRevision_lessMemoryOrMoreThanThereIsRoomFor_cannotGrow() {
        assertThat(look("r1", "", "4Gi", "4Gi", "").growth()).isNull();
        NewestTemplate large = new NewestTemplate("r2", "f", new Quantity("5Gi"));
        assertThat(look(large, "r1", "", "2Gi", "2Gi", "").growth()).isNull();
    }

    @Test
    void growthWasAskedFor_nodeHasNotDoneItYet_isOutdatedAndWaits() {
        PodView pod = look("r1", ASKED, "3Gi", "2Gi", "");
        assertThat(pod.outdated()).isTrue();
        assertThat(pod.growth()).isEqualTo(new PodView.Growth("3Gi", Instant.parse("2026-01-01T00:00:00Z")));
    }

    @Test
    void growthWasAskedFor_nodeHasDoneIt_isLikeTheNewest() {
        assertThat(look("r1", ASKED, "3Gi", "3072Mi", "").outdated()).isFalse();
    }

    @Test
    void growthWasAskedFor_nodeHasNoRoom_isReplaced() {
        PodView pod = look("r1", ASKED, "3Gi", "2Gi", "{type: PodResizePending, status: \"True\", reason: Infeasible}");
        assertThat(pod.outdated()).isTrue();
        assertThat(pod.growth()).isNull();
    }

    @Test
    void growthWasAskedFor_apiServerRefused_isReplaced() {
        PodView pod = look("r1", ASKED + ", granary.dev/memory-refused: 3Gi", "2Gi", "2Gi", "");
        assertThat(pod.outdated()).isTrue();
        assertThat(pod.growth()).isNull();
    }

    /** The controller of StatefulSets gives a former template its former revision. */
    @Test
    void grownPod_templateGoesBackToItsOwnRevision_isOutdated() {
        NewestTemplate back = new NewestTemplate("r1", "f", new Quantity("2Gi"));
        PodView pod = look(back, "r1", ASKED, "3Gi", "3Gi", "");
        assertThat(pod.outdated()).isTrue();
        assertThat(pod.growth()).isNull();
    }

    @Test
    void growthWasNotedButNotAskedFor_isAskedForAgain() {
        assertThat(look("r1", ASKED, "2Gi", "2Gi", "").growth()).isEqualTo(new PodView.Growth("3Gi", null));
    }

    /** The growth was refused, and the larger memory is not wanted any more. */
    @Test
    void podThatNeverGrew_templateGoesBackToItsOwnRevision_isLikeIt() {
        NewestTemplate back = new NewestTemplate("r1", "f", new Quantity("2Gi"));
        String refused = ASKED + ", granary.dev/memory-refused: 3Gi";
        assertThat(look(back, "r1", refused, "2Gi", "2Gi", "").outdated()).isFalse();
    }

    @Test
    void podWithOtherMemoryThanItsTemplate_thatTheOperatorDidNotAskFor_isLeftAlone() {
        assertThat(look("r2", "", "7Gi", "7Gi", "").outdated()).isFalse();
    }

    @Test
    void of_statefulSetWhoseControllerIsBehind_isNotKnown() {
        assertThat(NewestTemplate.of(set(1))).isNull();
        assertThat(NewestTemplate.of(set(2))).isEqualTo(NEWEST);
    }

    @Test
    void limit_specWithoutContainersOrLimits_isNone() {
        assertThat(PodMemory.limit((PodSpec) null)).isNull();
        assertThat(PodMemory.limit(spec("containers: []"))).isNull();
        assertThat(PodMemory.limit(spec("containers: [{name: storage}]"))).isNull();
        assertThat(PodMemory.limit(spec("containers: [{name: storage, resources: {limits: {cpu: 1}}}]")))
                .isNull();
        assertThat(PodMemory.limit(spec("containers: [{name: storage, resources: {limits: {memory: 2Gi}}},"
                        + " {name: other, resources: {limits: {memory: 7Gi}}}]")))
                .isEqualTo(new Quantity("2Gi"));
    }

    private static PodSpec spec(String yaml) {
        return Serialization.unmarshal(yaml, PodSpec.class);
    }

    @Test
    void podWithoutAnnotationsOrStatus_otherRevision_isOutdatedAndCannotGrow() {
        Pod bare = Serialization.unmarshal("""
                metadata: {name: s-0}
                spec: {containers: [{name: storage, resources: {limits: {memory: 2Gi}}}]}
                """, Pod.class);
        PodMemory older = new PodMemory(bare, "r1", NEWEST);
        assertThat(older.isOutdated()).isTrue();
        assertThat(older.growth()).isNull();
        assertThat(new PodMemory(bare, "r2", NEWEST).isOutdated()).isFalse();
        assertThat(new PodMemory(bare, "r2", NEWEST).growth()).isNull();
    }

    @Test
    void growthWasAskedFor_podWithASidecar_hasGrownWhenItsProcessHas() {
        String pod = """
                metadata:
                  name: s-0
                  annotations: {granary.dev/template: f, granary.dev/memory-max: 4Gi, %s}
                spec:
                  containers: [{name: storage, resources: {limits: {memory: 3Gi}}}, {name: a}]
                status:
                  containerStatuses:
                  - {name: a, state: {running: {}}}
                  - {name: storage, resources: {limits: {memory: %s}}, state: {running: {}}}
                """;
        assertThat(new PodMemory(Serialization.unmarshal(pod.formatted(ASKED, "3Gi"), Pod.class), "r1", NEWEST)
                        .isOutdated())
                .isFalse();
        assertThat(new PodMemory(Serialization.unmarshal(pod.formatted(ASKED, "2Gi"), Pod.class), "r1", NEWEST)
                        .isOutdated())
                .isTrue();
    }

    @Test
    void growthWasAskedFor_noProcessRuns_isLikeTheNewest() {
        Pod waiting = Serialization.unmarshal("""
                metadata:
                  name: s-0
                  annotations: {granary.dev/template: f, granary.dev/memory-max: 4Gi, %s}
                spec: {containers: [{name: storage, resources: {limits: {memory: 3Gi}}}]}
                status: {containerStatuses: [{name: storage, resources: {limits: {memory: 2Gi}}, state: {waiting: {}}}]}
                """.formatted(ASKED), Pod.class);
        assertThat(new PodMemory(waiting, "r1", NEWEST).isOutdated())
                .as("a process that starts has what the spec says")
                .isFalse();
    }

    @Test
    void newestTemplateWithoutMemory_olderRevision_cannotGrow() {
        NewestTemplate none = new NewestTemplate("r2", "f", null);
        assertThat(look(none, "r1", "", "2Gi", "2Gi", "").growth()).isNull();
        assertThat(look(none, "r1", ASKED, "3Gi", "3Gi", "").outdated()).isTrue();
    }

    private static StatefulSet set(int observed) {
        return Serialization.unmarshal("""
                metadata: {name: s, generation: 2}
                spec:
                  template:
                    metadata: {annotations: {granary.dev/template: f}}
                    spec: {containers: [{name: storage, resources: {limits: {memory: 3Gi}}}]}
                status: {observedGeneration: %d, updateRevision: r2}
                """.formatted(observed), StatefulSet.class);
    }

    private static PodView look(String revision, String annotations, String spec, String status, String condition) {
        return look(NEWEST, revision, annotations, spec, status, condition);
    }

    private static PodView look(
            NewestTemplate newest, String revision, String annotations, String spec, String status, String condition) {
        Pod pod = Serialization.unmarshal("""
                metadata:
                  name: s-0
                  labels: {controller-revision-hash: %s}
                  annotations: {granary.dev/template: f, granary.dev/memory-max: 4Gi, %s}
                spec: {containers: [{name: storage, resources: {limits: {memory: %s}}}]}
                status:
                  conditions: [%s]
                  containerStatuses:
                  - {name: storage, state: {running: {}}, resources: {limits: {memory: %s}}}
                """.formatted(revision, annotations, spec, condition, status), Pod.class);
        return PodsView.of(List.of(pod), newest, Set.of()).pods().getFirst();
    }
}
