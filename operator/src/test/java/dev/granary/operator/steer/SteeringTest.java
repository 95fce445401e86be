package dev.granary.operator.steer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.build.TemplateInputs;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.TemplateHistory;
import dev.granary.operator.plan.TemplateHistory.Rendered;
import dev.granary.operator.steer.Scene.Pod;
import org.junit.jupiter.api.Test;

class SteeringTest {
    private static final Rendered OLD = new Rendered("old-inputs", "example.org/granary:1", "{}");

    /** A cluster of three super-peers and three storage peers, with these templates. */
    private static ClusterPlan plan(Rendered ring, Rendered storage) {
        return plan("hibernate: false", ring, storage);
    }

    private static ClusterPlan plan(String more, Rendered ring, Rendered storage) {
        return Samples.plan(
                "{superPeers: {min: 3}, " + more + "}",
                new Existing(
                        new Existing.Role(3, "1Gi", new TemplateHistory(ring, OLD, null)),
                        new Existing.Role(3, "10Gi", new TemplateHistory(storage, OLD, null)),
                        null,
                        Existing.Devices.UNKNOWN,
                        "id"));
    }

    private static Rendered current(String component) {
        ClusterPlan plan = plan(OLD, OLD);
        ClusterPlan.Role role = component.equals(Names.STORAGE) ? plan.storage() : plan.superPeers();
        return new Rendered(TemplateInputs.of(plan, role, component), "example.org/granary:1", "{}");
    }

    private static Steering.Result decide(ClusterPlan plan, Scene scene) {
        return Steering.decide(plan, scene.superPods(), scene.storagePods(), new Answer.Seen(scene.view()), Scene.NOW);
    }

    @Test
    void decide_ringHasNotTheNewTemplateYet_storageKeepsItsOwn() {
        Steering.Result result = decide(plan(OLD, OLD), Scene.of(3, 3));
        assertThat(result.plan().storage().keepsTemplate()).isTrue();
        assertThat(result.plan().superPeers().keepsTemplate()).isFalse();
    }

    @Test
    void decide_ringIsDone_storageTakesTheNewTemplate() {
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), Scene.of(3, 3));
        assertThat(result.plan().storage().keepsTemplate()).isFalse();
    }

    @Test
    void decide_allPodsAreWell_theirTemplateIsGood() {
        Rendered present = current(Names.STORAGE);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), present), Scene.of(3, 3));
        assertThat(result.plan().storage().history().good()).isEqualTo(present);
    }

    @Test
    void decide_lastOldSuperPeerIsStillGoing_storageWaits() {
        Scene scene = Scene.of(3, 3).superPod(0, Pod.OUTDATED).superPod(0, Pod.TERMINATING);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), scene);
        assertThat(result.plan().storage().keepsTemplate()).isTrue();
    }

    @Test
    void decide_lastOldPodIsStillGoing_templateIsNotYetGood() {
        Scene scene = Scene.of(3, 3).storagePod(0, Pod.OUTDATED).storagePod(0, Pod.TERMINATING);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), current(Names.STORAGE)), scene);
        assertThat(result.plan().storage().history().good()).isEqualTo(OLD);
    }

    @Test
    void decide_ringIsShrinkingAgain_noStoragePodIsReplaced() {
        ClusterPlan plan = Samples.plan(
                "{superPeers: {min: 1}}",
                new Existing(
                        new Existing.Role(3, "1Gi", new TemplateHistory(current(Names.SUPER_PEER), OLD, null)),
                        new Existing.Role(3, "10Gi", new TemplateHistory(OLD, OLD, null)),
                        null,
                        Existing.Devices.UNKNOWN,
                        "id"));
        Steering.Result shrinking = decide(plan, Scene.of(3, 3).storagePod(2, Pod.OUTDATED));
        assertThat(shrinking.actions()).containsExactly(new Action.ResizeRing(1));
    }

    @Test
    void decide_ringRests_storagePodIsReplaced() {
        Steering.Result result =
                decide(plan(current(Names.SUPER_PEER), OLD), Scene.of(3, 3).storagePod(2, Pod.OUTDATED));
        assertThat(result.actions()).hasAtLeastOneElementOfType(Action.StartDrain.class);
    }

    @Test
    void decide_superPeerPodIsMissing_storageWaits() {
        Scene scene = Scene.of(3, 3).withoutSuperPod(2);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), scene);
        assertThat(result.plan().storage().keepsTemplate()).isTrue();
    }

    @Test
    void decide_newPodCannotStart_templateGoesBackAndIsNotTriedAgain() {
        Rendered present = current(Names.SUPER_PEER);
        Scene scene =
                Scene.of(3, 3).superPod(2, Pod.DEAD).superPod(1, Pod.OUTDATED).superPod(0, Pod.OUTDATED);
        Steering.Result result = decide(plan(present, OLD), scene);
        TemplateHistory history = result.plan().superPeers().history();
        assertThat(history.rendered()).isEqualTo(OLD);
        assertThat(history.rejected()).isEqualTo(present.inputs());
        assertThat(history.isRolledBack()).isTrue();
        assertThat(result.plan().storage().keepsTemplate()).isTrue();
    }

    @Test
    void decide_newPodFindsNoNode_isGivenTimeUntilTheDeadline() {
        Scene scene = Scene.of(3, 3).superPod(2, Pod.PENDING).superPod(1, Pod.OUTDATED);
        Rendered present = current(Names.SUPER_PEER);
        assertThat(decide(plan(present, OLD), scene)
                        .plan()
                        .superPeers()
                        .history()
                        .isRolledBack())
                .isFalse();
        Steering.Result late = decide(plan("updateStrategy: {deadlineSeconds: 90}", present, OLD), scene);
        assertThat(late.plan().superPeers().history().isRolledBack()).isTrue();
    }

    @Test
    void decide_newPodIsStillStarting_isGivenTime() {
        Scene scene =
                Scene.of(3, 3).superPod(2, Pod.FRESH).superPod(2, Pod.NOT_READY).superPod(1, Pod.OUTDATED);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), scene);
        assertThat(result.plan().superPeers().history().isRolledBack()).isFalse();
    }

    @Test
    void decide_newPodThatWasReadyIsNotForAMoment_nothingIsTakenBack() {
        Scene scene = Scene.of(3, 3).superPod(2, Pod.NOT_READY_FOR_A_MOMENT).superPod(1, Pod.OUTDATED);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), scene);
        assertThat(result.plan().superPeers().history().isRolledBack()).isFalse();
    }

    @Test
    void decide_newPodIsNotReadyAnyMoreForLong_templateGoesBack() {
        Scene scene = Scene.of(3, 3).superPod(2, Pod.NOT_READY).superPod(1, Pod.OUTDATED);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), scene);
        assertThat(result.plan().superPeers().history().isRolledBack()).isTrue();
    }

    @Test
    void decide_oldPodIsInTrouble_nothingIsTakenBack() {
        Scene scene = Scene.of(3, 3).superPod(2, Pod.OUTDATED).superPod(2, Pod.DEAD);
        Steering.Result result = decide(plan(current(Names.SUPER_PEER), OLD), scene);
        assertThat(result.plan().superPeers().history().isRolledBack()).isFalse();
    }

    @Test
    void decide_paused_nothingIsReplaced() {
        ClusterPlan plan = Samples.plan(
                "{superPeers: {min: 3}, updateStrategy: {paused: true}}",
                new Existing(
                        new Existing.Role(3, "1Gi", new TemplateHistory(OLD, OLD, null)),
                        new Existing.Role(3, "10Gi", new TemplateHistory(OLD, OLD, null)),
                        null,
                        Existing.Devices.UNKNOWN,
                        "id"));
        Scene scene = Scene.of(3, 3).superPod(2, Pod.OUTDATED).storagePod(1, Pod.OUTDATED);
        Steering.Result result = decide(plan, scene);
        assertThat(result.actions()).isEmpty();
        assertThat(result.stops()).isEmpty();
    }
}
