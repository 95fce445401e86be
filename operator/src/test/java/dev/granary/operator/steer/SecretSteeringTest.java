package dev.granary.operator.steer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.build.TemplateInputs;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.plan.SecretPlan.Phase;
import dev.granary.operator.plan.TemplateHistory;
import dev.granary.operator.plan.TemplateHistory.Rendered;
import dev.granary.operator.steer.Scene.Pod;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a change of the secret takes its next phase. */
class SecretSteeringTest {
    private static final Rendered OLD = new Rendered("old-inputs", "example.org/granary:1", "{}");
    private static final String WISH = "now";

    private static ClusterPlan plan(String spec, @Nullable String record, TemplateHistory ring, TemplateHistory peers) {
        Granary granary = Samples.granary("social", spec);
        granary.getMetadata().setAnnotations(Map.of(Names.CHANGE_SECRET_ANNOTATION, WISH));
        Existing existing = new Existing(
                new Existing.Role(3, "1Gi", ring),
                new Existing.Role(3, "10Gi", peers),
                null,
                Existing.Devices.UNKNOWN,
                "id",
                false,
                record,
                false,
                null);
        return new Planner(Samples.DEFAULTS).plan(granary, existing);
    }

    /** A cluster whose StatefulSets have the templates of the phase in the record. */
    private static ClusterPlan current(String spec, @Nullable String record) {
        TemplateHistory old = new TemplateHistory(OLD, OLD, null);
        ClusterPlan plan = plan(spec, record, old, old);
        return plan(
                spec,
                record,
                history(TemplateInputs.of(plan, plan.superPeers(), Names.SUPER_PEER), null),
                history(TemplateInputs.of(plan, plan.storage(), Names.STORAGE), null));
    }

    private static TemplateHistory history(String inputs, @Nullable String rejected) {
        Rendered rendered = new Rendered(inputs, "example.org/granary:1", "{}");
        return new TemplateHistory(rendered, rendered, rejected);
    }

    private static SecretPlan decide(ClusterPlan plan, Scene scene) {
        return decide(plan, scene.superPods(), scene.storagePods());
    }

    private static SecretPlan decide(ClusterPlan plan, PodsView superPeers, PodsView storage) {
        return Objects.requireNonNull(
                SecretSteering.decide(plan, superPeers, storage, Scene.NOW).secret());
    }

    @Test
    void decide_allPodsAreWell_eachPhaseIsFollowedByTheNext() {
        assertThat(decide(current("{}", null), Scene.of(3, 3)).toRecord()).isEqualTo("0 Accepting now");
        assertThat(decide(current("{}", "0 Accepting now"), Scene.of(3, 3)).toRecord())
                .isEqualTo("0 Proving now");
        assertThat(decide(current("{}", "0 Proving now"), Scene.of(3, 3)).toRecord())
                .isEqualTo("0 Ending now");
        assertThat(decide(current("{}", "0 Ending now"), Scene.of(3, 3)).toRecord())
                .isEqualTo("1 Steady now");
        assertThat(decide(current("{}", "1 Steady now"), Scene.of(3, 3)).toRecord())
                .isEqualTo("1 Steady now");
    }

    @Test
    void decide_onePodHasAnotherTemplateOrIsNotWell_nothingBegins() {
        for (String record : new String[] {null, "0 Accepting now", "0 Proving now", "0 Ending now"}) {
            ClusterPlan plan = current("{}", record);
            SecretPlan before = Objects.requireNonNull(plan.secret());
            for (Pod how : new Pod[] {Pod.OUTDATED, Pod.NOT_READY, Pod.FRESH, Pod.TERMINATING}) {
                assertThat(decide(plan, Scene.of(3, 3).superPod(1, how))).isEqualTo(before);
                assertThat(decide(plan, Scene.of(3, 3).storagePod(2, how))).isEqualTo(before);
            }
            assertThat(decide(plan, Scene.of(3, 3).withoutStoragePod(0))).isEqualTo(before);
            assertThat(decide(
                            plan,
                            Scene.of(3, 3).superPods().withNewTemplate(),
                            Scene.of(3, 3).storagePods()))
                    .as("whether the pods have the template is not known")
                    .isEqualTo(before);
        }
    }

    @Test
    void decide_storageKeepsTheTemplateOfThePhaseBefore_itIsWaitedFor() {
        ClusterPlan now = current("{}", "0 Proving now");
        ClusterPlan before = current("{}", "0 Accepting now");
        ClusterPlan plan = plan(
                "{}",
                "0 Proving now",
                now.superPeers().history(),
                before.storage().history());
        assertThat(decide(plan, Scene.of(3, 3)).phase()).isEqualTo(Phase.PROVING);
    }

    @Test
    void decide_templateOfThePhaseWasRolledBack_nothingBegins() {
        ClusterPlan now = current("{}", "0 Proving now");
        ClusterPlan before = current("{}", "0 Accepting now");
        TemplateHistory back = history(
                Objects.requireNonNull(before.superPeers().history().rendered()).inputs(),
                Objects.requireNonNull(now.superPeers().history().rendered()).inputs());
        ClusterPlan plan = plan("{}", "0 Proving now", back, before.storage().history());
        assertThat(decide(plan, Scene.of(3, 3)).toRecord()).isEqualTo("0 Proving now");
    }

    @Test
    void decide_updatesArePaused_nothingBegins() {
        String spec = "{updateStrategy: {paused: true}}";
        assertThat(decide(current(spec, "0 Proving now"), Scene.of(3, 3)).phase())
                .isEqualTo(Phase.PROVING);
        assertThat(decide(current(spec, null), Scene.of(3, 3)).phase()).isEqualTo(Phase.STEADY);
    }

    @Test
    void decide_clusterWithoutASecret_hasNone() {
        Existing without = new Existing(
                Existing.Role.NOTHING,
                Existing.Role.NOTHING,
                null,
                Existing.Devices.UNKNOWN,
                "id",
                true,
                null,
                false,
                null);
        ClusterPlan plan = Samples.plan("{}", without);
        Scene scene = Scene.of(3, 3);
        assertThat(SecretSteering.decide(plan, scene.superPods(), scene.storagePods(), Scene.NOW)
                        .secret())
                .isNull();
    }
}
